"""Answers of people -> rows that outlive the server: tables, one write at a time, migrations."""
