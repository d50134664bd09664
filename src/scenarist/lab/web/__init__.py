"""Requests -> pages: the lab as a web application (Starlette, plain `def` routes)."""
