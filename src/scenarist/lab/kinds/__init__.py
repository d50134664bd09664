"""Index of this room: page kind -> "module:Class". A page kind shows a question and reads the answer; see `base.py`."""

from __future__ import annotations

from functools import cache

from scenarist.lab.kinds.base import PageKind
from scenarist.registry import load, suggest

KINDS: dict[str, str] = {
    "fill-gap": "scenarist.lab.kinds.fill_gap:FillGap",
    "mark-scenarios": "scenarist.lab.kinds.mark_scenarios:MarkScenarios",
    "adjudicate": "scenarist.lab.kinds.adjudicate:Adjudicate",
    "compose": "scenarist.lab.kinds.compose:ComposeTexts",
    "write-story": "scenarist.lab.kinds.write_story:WriteStory",
    "write-endings": "scenarist.lab.kinds.write_endings:WriteEndings",
    "choose-ending": "scenarist.lab.kinds.choose_ending:ChooseEnding",
    "judge": "scenarist.lab.kinds.judge:JudgeTexts",
    "order": "scenarist.lab.kinds.order:OrderSentences",
    "gloss": "scenarist.lab.kinds.gloss:Gloss",
    "rate": "scenarist.lab.kinds.rate:RatePage",
    "link": "scenarist.lab.kinds.link:LinkEvents",
    "relate": "scenarist.lab.kinds.relate:RelateEvents",
    "steps": "scenarist.lab.kinds.steps:ListSteps",
    "tick": "scenarist.lab.kinds.tick:TickSentences",
    "word": "scenarist.lab.kinds.word:FillWord",
    "notice": "scenarist.lab.kinds.plain:Notice",
    "choose": "scenarist.lab.kinds.plain:Choose",
    "write": "scenarist.lab.kinds.plain:Write",
}


@cache
def page_kind(name: str) -> PageKind:
    """A page kind by name."""
    if name not in KINDS:
        raise suggest(name, list(KINDS), "page kind")
    kind: PageKind = load(KINDS[name])()
    return kind
