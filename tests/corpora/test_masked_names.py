"""Masked, lower-cased stories put back into ordinary writing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from scenarist.corpora.masked_names import restore
from scenarist.corpora.rocstories import ROCStories
from scenarist.story import sentence_texts

MASKED = [
    "[MALE] did n't sleep .",
    "he called [FEMALE] on monday .",
    "[FEMALE] sister came .",
    "[MALE] was happy .",
    "they ate ( some ) soup .",
]
PLAIN = ["Ann ran home.", "She was late.", "Her mom waited.", "They talked.", "All was well."]


def test_one_name_a_mask_and_story() -> None:
    told = restore(MASKED)
    assert told[0].split()[0] == told[3].split()[0]
    assert told[0].endswith("didn't sleep.")
    assert "Monday" in told[1]
    assert told[2] == "My sister came."
    assert not any("[" in sentence for sentence in told)
    assert restore(MASKED) == told


def test_only_masked_stories_are_changed_and_the_split_stays(data_root: Path) -> None:
    folder = data_root / "rocstories"
    folder.mkdir()
    records = [{"sentences": MASKED, "cased_original": False}, {"sentences": PLAIN, "cased_original": True}]
    records += [
        {"sentences": [f"[MALE] had {number} cats .", *MASKED[1:]], "cased_original": False} for number in range(40)
    ]
    (folder / "stories.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(one) + "\n" for one in records).encode())
    )
    before, after = list(ROCStories("all")), list(ROCStories("all", restored=True))
    assert [story.id for story in before] == [story.id for story in after]
    assert list(sentence_texts(after[0])) == restore(MASKED)
    assert after[1] == before[1]
    for split in ("train", "dev"):
        assert [story.id for story in ROCStories(split)] == [story.id for story in ROCStories(split, restored=True)]
    assert dict(ROCStories("all", restored=True).settings()) == {"restored": True}
