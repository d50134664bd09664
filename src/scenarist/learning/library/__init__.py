"""The library of written scripts and what is told: wordings matched with tellings, counts of who tells what, orders."""
