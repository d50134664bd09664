"""A given text with rules -> does it keep them? The qualification of writers (Mostafazadeh et al. 2016, sections 3.1 and 4.2).

The same page as `choose`. Who is simulated holds the text against the rules that writers are told, as somebody would who read them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from scenarist.lab.forms import ParsedForm, ParsedPage
from scenarist.lab.kinds.plain import Choose

SLIP = 0.04


class JudgeTexts(Choose):
    """Is this text acceptable?"""

    name = "judge"
    inputs: Mapping[str, str] = {
        "context": "the text that is judged",
        "choices": "the verdicts; the first one is *acceptable*",
    }
    outputs: Mapping[str, str] = {"verdict": "index of the verdict, from 0: acceptable"}

    def simulate(self, page: ParsedPage, form: ParsedForm, draw: random.Random) -> dict[str, list[str]]:
        """The verdict of the rules, with a slip now and then."""
        values = [control.value for control in form.named("answer")]
        if draw.random() < SLIP:
            return {"answer": [draw.choice(values)]}
        return {"answer": [values[1 if broken_rules(page.marked("context")) else 0]]}


def broken_rules(lines: Sequence[str]) -> list[str]:
    """What the rules say of a story, or of endings that are marked *Right:* and *Wrong:*."""
    from scenarist.lab.kinds.write_endings import WriteEndings
    from scenarist.lab.kinds.write_story import rule_lines
    from scenarist.question import Compose

    endings = [line.partition(": ")[2] for line in lines if line.startswith(("Right: ", "Wrong: "))]
    story = [line for line in lines if not line.startswith(("Right: ", "Wrong: "))]
    if endings:
        asked = Compose("", tuple(story), 2)
        kind = WriteEndings()
        return [*kind.faults(endings, "", asked), *kind.doubts(endings, "", asked)]
    missing = [] if len(story) == 5 else [f"{len(story)} sentences."]
    return missing + rule_lines(story, True) + rule_lines(story, False)
