"""Forms in which others read scripts: KAIROS SDF 2.3 (and back), GraphML, a table of typicality norms."""
