"""verb -> page: `scenarist serve` reads a story, shows scripts and opens reports in a browser, with the lab mounted in it."""
