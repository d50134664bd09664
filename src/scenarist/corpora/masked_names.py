"""Lower-cased, name-masked stories -> ordinary writing, so that a language model can learn from them beside the cased ones.

`[MALE] did n't go .` becomes `Tom didn't go.` One name a mask and story; "[FEMALE] friend" was "My friend" in the original.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

NAMES = {
    "[MALE]": "Tom Bob John Mike Jim Dan Sam Joe Tim Ben Bill Jack Fred Kevin Mark Steve Ron Greg Matt Max".split(),
    "[FEMALE]": "Amy Anna Kate Mary Lucy Jane Sue Kim Lisa Sara Emily Tina Jill Ella Nina Beth Gina Susan Kelly Rita".split(),
    "[NEUTRAL]": "Alex Jamie Robin Casey Taylor Jordan Morgan Riley Sam Charlie".split(),
}
KIN = (
    "friend friends sister brother mother father mom dad wife husband daughter son aunt uncle cousin niece nephew boss family "
    "grandmother grandfather grandma grandpa neighbor neighbors girlfriend boyfriend roommate coworker teacher dog cat car house phone "
    "sister-in-law brother-in-law mother-in-law kids parents best favorite old new job class school team fiance twin"
).split()
PROPER = """
monday tuesday wednesday thursday friday saturday sunday january february april june july august september october
november december christmas halloween thanksgiving easter america american english french spanish california texas
florida chicago york paris london disney mexico europe google facebook walmart amazon
""".split()


def restore(sentences: Sequence[str], seed: int = 13) -> list[str]:
    """One story in ordinary writing.

    >>> restore(["[MALE] did n't go .", "i called [MALE] 's mom on monday ."], seed=1)[1]
    "I called Bob's mom on Monday."
    """
    dice = random.Random(f"{seed}/{' '.join(sentences)}")
    names = {mask: dice.choice(pool) for mask, pool in NAMES.items()}
    out = []
    for text in sentences:
        text = re.sub(rf"\[(?:MALE|FEMALE|NEUTRAL)\] (?=(?:{'|'.join(KIN)})\b)", "my ", text)
        text = re.sub(r"\[(?:MALE|FEMALE|NEUTRAL)\]", lambda found: names[found[0]], text)
        text = re.sub(r" (n't|'s|'re|'ve|'d|'ll|'m)\b", r"\1", text)
        text = re.sub(r" ([.,!?;:%)])", r"\1", text)
        text = re.sub(r"([$(#]) ", r"\1", text)
        text = re.sub(r"\bca n't\b", "can't", text)
        text = re.sub(r"\bi\b", "I", text)
        text = re.sub(rf"\b(?:{'|'.join(PROPER)})\b", lambda found: found[0].capitalize(), text)
        out.append(text[:1].upper() + text[1:])
    return out
