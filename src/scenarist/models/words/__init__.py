"""A room; see docs/why/house.md."""
