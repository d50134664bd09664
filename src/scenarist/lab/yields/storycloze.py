"""Endings and their ratings -> a Story Cloze set (Mostafazadeh et al. 2016, section 4.2), the filter with its variants.

A case stays where the ratings of its right and of its wrong ending pass the filter. What stays is divided at random into validation and
test; which ending stands first is drawn. The stories that the cases are from are taken out of the stories that are written beside it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scenarist.corpora.storycloze import ANSWER, CONTEXT, ENDINGS
from scenarist.errors import BadInput
from scenarist.lab.answered import known_study
from scenarist.lab.collected import RIGHT, WRONG, WrittenCase, counted, rules_of, written_cases, written_stories
from scenarist.lab.database.engine import Database
from scenarist.lab.roster import OpenStudy
from scenarist.lab.study import Study
from scenarist.lab.yields.stories import FILE, csv_bytes, story_csv, without_duplicates
from scenarist.lab.yields.write import HarvestedFiles
from scenarist.registry import suggest

VALIDATION, TEST = "cloze_test_val__spring2016.csv", "cloze_test_test__spring2016.csv"
HEADER = ("InputStoryid", *CONTEXT, *ENDINGS, ANSWER)
RATERS = 3

Ratings = Sequence[int]
FILTERS: dict[str, Callable[[Ratings, Ratings], bool]] = {
    "paper": lambda right, wrong: all(rating == 1 for rating in right) and all(rating == 0 for rating in wrong),
    "not-good": lambda right, wrong: all(rating == 1 for rating in right) and all(rating < 1 for rating in wrong),
    "majority": lambda right, wrong: 2 * right.count(1) > len(right) and 2 * wrong.count(1) < len(wrong),
    "apart": lambda right, wrong: min(right) > max(wrong),
}
"""Variants of the filter: ``paper`` (right all 1, wrong all 0), ``not-good`` (a wrong ending may be -1, too), ``majority`` (most say 1 of
the right and most do not of the wrong one), ``apart`` (every rating of the right one is above every rating of the wrong one)."""


def harvest_story_cloze(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """Validation, test, and the stories that are not in them."""
    variant, seed = str(options.get("filter", "paper")), int(options.get("seed", 13))
    if variant not in FILTERS:
        raise suggest(variant, list(FILTERS), "filter")
    endings = study.study.source.study
    cases = written_cases(study.database, endings)
    ratings = ratings_of(study)
    reasons: dict[str, int] = defaultdict(int)
    kept: list[WrittenCase] = []
    allowed, stories = sources_of(study.database, endings)
    for case in cases:
        right, wrong = ratings[f"{case.id}.{RIGHT}"], ratings[f"{case.id}.{WRONG}"]
        if allowed is not None and case.source not in allowed:
            reasons["cases whose story was withdrawn or is not approved any more"] += 1
        elif len(right) < RATERS or len(wrong) < RATERS:
            reasons[f"cases with fewer than {RATERS} ratings of an ending"] += 1
        elif not FILTERS[variant](right[:RATERS], wrong[:RATERS]):
            reasons[f"cases that do not pass the filter {variant!r}"] += 1
        elif any(case.context == other.context for other in kept):
            reasons["cases with the same four sentences as an earlier one"] += 1
        else:
            kept.append(case)
    draw = random.Random(f"{seed} division")
    draw.shuffle(kept)
    half = (len(kept) + 1) // 2
    files = {VALIDATION: [cloze_csv(kept[:half], seed)], TEST: [cloze_csv(kept[half:], seed)] if kept[half:] else []}
    used = {case.source for case in kept}
    rest, twins = without_duplicates([story for story in stories if story.id not in used])
    if rest:
        files[FILE] = [story_csv(rest)]
    counts = {
        "cases written": len(cases), "cases that pass": len(kept), "validation": half, "test": len(kept) - half,
        "writers of endings": len({case.writer for case in cases}), "stories beside it": len(rest),
        "stories taken out as sources": len(used),
    }  # fmt: skip
    return HarvestedFiles(
        files if kept else {}, counts, dict(reasons) | twins, "A Story Cloze set",
        ("scenarist exam storycloze storycloze:{out} -o exam", "scenarist bench storycloze2016 --corpus storycloze:{out}"),
    )  # fmt: skip


def harvest_endings(study: OpenStudy, options: Mapping[str, Any]) -> HarvestedFiles:
    """Endings as they were written, before anybody rated them."""
    cases = written_cases(study.database, study.study.name)
    columns = ("storyid", *(f"sentence{number}" for number in range(1, 5)), "right", "wrong")
    rows = [(case.id, *case.context, case.right, case.wrong) for case in cases]
    return HarvestedFiles(
        {"endings.csv": [csv_bytes(columns, rows)] if rows else []}, {"cases": len(cases), "writers": len({case.writer for case in cases})},
        {}, "Right and wrong endings, not rated yet", ("scenarist lab serve rate-story --db lab.db",),
    )  # fmt: skip


def ratings_of(study: OpenStudy) -> Mapping[str, list[int]]:
    """Item -> the ratings that count, in the order in which people came."""
    ratings: dict[str, list[int]] = defaultdict(list)
    for given in counted(study.database, study.study.name):
        if isinstance(given.answer.answer, str) and given.answer.answer.lstrip("-").isdigit():
            ratings[given.item].append(int(given.answer.answer))
    return ratings


def sources_of(database: Database, endings: str) -> tuple[set[str] | None, list[Any]]:
    """The stories that may be asked about, of the study that wrote them; None where the contexts are of a corpus."""
    plan: Study = rules_of(database, endings)
    if not plan.source.study:
        return None, []
    try:
        known_study(database, plan.source.study)
    except BadInput:
        return None, []
    stories = written_stories(database, plan.source.study)
    return {story.id for story in stories}, stories


def cloze_csv(cases: Sequence[WrittenCase], seed: int) -> bytes:
    """The official columns; which ending is the first is drawn."""
    rows = []
    for case in cases:
        first = random.Random(f"{seed} {case.id}").random() < 0.5
        endings = (case.right, case.wrong) if first else (case.wrong, case.right)
        rows.append((case.id, *case.context, *endings, "1" if first else "2"))
    return csv_bytes(HEADER, rows)
