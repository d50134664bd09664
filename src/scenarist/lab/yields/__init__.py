"""Index of this room: what a study gives -> "module:function", which makes a corpus of its answers; see `write.py`.

A function takes the study and the options and gives a `HarvestedFiles`; the frame adds the card and writes the folder.
"""

YIELDS: dict[str, str] = {
    "stories": "scenarist.lab.yields.stories:harvest_stories",
    "endings": "scenarist.lab.yields.storycloze:harvest_endings",
    "storycloze": "scenarist.lab.yields.storycloze:harvest_story_cloze",
    "orders": "scenarist.lab.yields.exam_answers:harvest_orders",
    "kidscook": "scenarist.lab.yields.pairs:harvest_pairs",
    "descript": "scenarist.lab.yields.scripts:harvest_scripts",
    "eventcloze": "scenarist.lab.yields.cloze_tests:harvest_cloze_tests",
    "predictions": "scenarist.lab.yields.exam_answers:harvest_predictions",
}
ALIASES = {"build-storycloze": "storycloze"}
"""Names for a step that is no study of its own -> what is made: of the study in the database that gives it."""
