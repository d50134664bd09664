"""What exactly was run, as one line under every number.

A signature is the metric's name and then ``key:value`` fields joined by ``|``, always in the same order, e.g.
``recall@50|exam:eventcloze|preset:lm-cloze|ties:expected|data:nyt-chains#7f3a|read:none|seed:13|v:0.1``. The data field
carries a hash of the very items that were asked, so two numbers under one signature were measured on the same thing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from scenarist.errors import BadInput

LAST = ("data", "split", "limit", "read", "train", "held", "weights", "made", "seed", "v")
"""Fields that stand at the end of every signature, in this order."""

WORDS = {
    "exam": "the exam was '{}'",
    "preset": "with the named settings '{}'",
    "form": "in the form '{}'",
    "mode": "blanks were carried forward as '{}' (oracle: the key, greedy: the solver's own guess)",
    "setting": "in the setting '{}'",
    "forms": "predicates were compared as {}s",
    "min": "chains had at least {} events",
    "repeats": "repeated events were {}",
    "position": "the position of the gap was {}",
    "chains": "chains tested: {}",
    "ties": "tied candidates counted at their {} rank",
    "k": "the first {} guesses counted",
    "window": "the comparison window was {}",
    "convention": "boundaries were counted by the convention of {}",
    "average": "the average was {}",
    "data": "the items came from {} (name # hash of the items' content)",
    "split": "of the split '{}'",
    "limit": "only the first {} items were asked",
    "read": "text was read by {}",
    "train": "the model learned from {}",
    "held": "and stopped or was tuned on {} (corpus = split)",
    "weights": "with the weights {}",
    "made": "its answers were {} (recorded: made before and kept; live: asked in this run)",
    "seed": "random choices were seeded with {}",
    "v": "by scenarist {}",
}


def plain(value: object) -> str:
    """A setting as it stands in a signature: no ``|``, ``:`` or space can hide in it.

    >>> plain(True), plain(["a", "b"]), plain(0.50), plain("a|b c")
    ('yes', 'a+b', '0.5', 'a/b_c')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return "+".join(f"{key}={plain(one)}" for key, one in value.items()) or "none"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "+".join(plain(one) for one in value) or "none"
    return str(value).replace("|", "/").replace(":", "=").replace(" ", "_")


def sign(metric: str, fields: Mapping[str, object]) -> str:
    """The signature of a number.

    >>> sign("accuracy", {"seed": 13, "exam": "storycloze", "ties": "expected", "v": "0.1"})
    'accuracy|exam:storycloze|ties:expected|seed:13|v:0.1'
    """
    front = [key for key in fields if key not in LAST and key != "exam"]
    keys = (["exam"] if "exam" in fields else []) + front + [key for key in LAST if key in fields]
    return "|".join([metric, *(f"{key}:{plain(fields[key])}" for key in keys)])


def parse(signature: str) -> tuple[str, dict[str, str]]:
    """The metric and the fields of a signature.

    >>> parse("accuracy|exam:storycloze|seed:13")
    ('accuracy', {'exam': 'storycloze', 'seed': '13'})
    """
    metric, *parts = signature.strip().split("|")
    if not metric or not parts or any(":" not in part for part in parts):
        raise BadInput(
            f"Not a signature: {signature!r}. Expected a metric and key:value fields joined by '|', such as "
            "'accuracy|exam:storycloze|data:toy#12ab|seed:13|v:0.1'."
        )
    return metric, dict(part.split(":", 1) for part in parts)


def explain(signature: str) -> list[str]:
    """A signature in words, one sentence part a line.

    >>> explain("accuracy|exam:storycloze|seed:13")[1]
    "the exam was 'storycloze'"
    """
    metric, fields = parse(signature)
    return [
        f"the number is '{metric}'",
        *(WORDS.get(key, f"{key} was {{}}").format(value) for key, value in fields.items()),
    ]


def content_hash(parts: Iterable[bytes], length: int = 8) -> str:
    """A short hash of content, in order."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:length]
