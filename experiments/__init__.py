"""Investigations beside the papers: tables, switches and analyses, a folder each with its page. The package never imports them."""
