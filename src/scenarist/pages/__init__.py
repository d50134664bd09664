"""Index of this room: name -> "module:Class"."""

INDEX: dict[str, str] = {
    "story": "scenarist.pages.events:fragment",
    "chain": "scenarist.pages.events:chain_fragment",
    "segment": "scenarist.pages.segment:alone",
    "sheet": "scenarist.pages.report:sheet_fragment",
    "script": "scenarist.pages.script:fragment",
    "interpretation": "scenarist.pages.story:fragment",
    "pair": "scenarist.pages.pair:fragment",
    "alignment": "scenarist.pages.alignment:fragment",
}
