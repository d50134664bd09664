"""Bennett's files -> the table `bennett`: every number of the paper beside what its data give, and our models on the same 46 tasks.

The readings under which a printed number comes out are shown as rows, and the first row, `people`, has those that meet the print: recovery
by matching as the mean over tasks, by hand over cells, agreement as one minus the naive entropy over log N (the formula as printed gives
negative numbers, and so does the correction it names), the effect over the cells that are wholly judged. What cannot be made here (an
extra, a file) is said in its row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from scenarist import __version__
from scenarist.bench.analyses.people.answers import (
    READINGS,
    GapAnswer,
    TaskCell,
    agreeing,
    cells_of,
    check_answers,
    figure_of,
    mean_figure,
    share_hand,
    share_right,
    strict_share_hand,
)  # fmt: skip
from scenarist.bench.analyses.people.bennett_figures import figure_data
from scenarist.bench.analyses.people.bennett_ranks import (
    PUBLISHED_MODEL,
    correlations,
    published_ranks,
    rank_remarks,
    rank_scores,
    rank_tests,
)
from scenarist.bench.analyses.people.bennett_readings import condition_means, correction_remark
from scenarist.bench.analyses.people.distributions import compare_model, compare_people
from scenarist.bench.analyses.people.gap_ranks import (
    CAP,
    GapTask,
    TaskRank,
    asked_tasks,
    model_answers,
    plain,
    study_tasks,
    written_verb,
)
from scenarist.bench.analyses.people.power import resolution
from scenarist.bench.analyses.people.regression import Effect, condition_effect, mixed_effect
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.corpora import bennett as files
from scenarist.corpora.bennett import Response
from scenarist.errors import BadInput, Missing
from scenarist.metrics.recovery import answer_verb
from scenarist.reading.render import render
from scenarist.reading.wordnet import gloss, match
from scenarist.registry import make
from scenarist.signature import content_hash, sign

CONDITIONS = ("full", "caveman", "verb-subject")
HAND = {"yes": True, "no": False}
MODELS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "unigram": ("nyt-chains", {}),
    "bigram": ("nyt-chains", {}),
    "chain-pmi": ("nyt-chains", {}),
    "event-lm": ("", {"weights": "event-lm-1"}),
    "script-reader": ("", {}),
    "smollm2": ("", {}),
}
"""Our rows -> the corpus each learns from, and its settings."""
NAMES = {"chain-pmi": "pmi-cutoff", "script-reader": "untold-scripts", "smollm2": "gap-lm"}
"""The models behind those that have another name here."""


class BennettStudy(NamedTuple):
    """The study's answers and tasks."""

    rows: list[Response]
    answers: list[GapAnswer]
    tasks: list[GapTask]
    remarks: list[str]


def read_study() -> BennettStudy:
    """The answers with their judgements: verbs by the file's parser, the removed verb as the ``event_only`` column shows it."""
    rows = list(files.main_verbs())
    shown = {plain(sentence.original): sentence.verb_subject for sentence in files.chains()}
    key: dict[str, str] = {}
    for row in rows:
        if plain(row.original) in shown:
            key.setdefault(task_of(row), written_verb(shown[plain(row.original)]))
    tasks = study_tasks(rows, files.chains(), key)
    answers = [
        GapAnswer(
            row.person, task_of(row), row.condition, row.response, row.document, match(row.predicate, key[task_of(row)]), row.synset,
            HAND.get(row.match), "" if row.verb == "NA" else row.verb,
        )
        for row in rows
    ]  # fmt: skip
    checked = check_answers(answers, CONDITIONS)
    remarks = list(checked.remarks)
    whole = list(files.responses())
    twice = Counter((row.person, row.document) for row in whole)
    surplus = sum(count - 1 for count in twice.values())
    remarks.append(
        f"experiment3.csv: {len(whole)} rows, {surplus} of them surplus ({sum(count > 1 for count in twice.values())} people answered "
        f"a document more than once); the annotated file has {len(rows)}."
    )
    remarks.append(
        f"{sum(answer.hand_right is None for answer in answers)} answer without a judgement by hand, "
        f"{sum(not answer.hand_label for answer in answers)} without a gloss by hand."
    )
    lost = [task.id for task in tasks if not task.placed]
    if lost:
        remarks.append(
            f"{len(lost)} tasks show an original sentence that is in no chain of their document (the file joined by the number of the "
            f"chain alone): {', '.join(lost)}."
        )
    return BennettStudy(rows, checked.answers, tasks, remarks)


def task_of(row: Response) -> str:
    """The id of a task."""
    return f"{row.document}.{row.chain}.{row.blank}"


def people_row(name: str, scores: Mapping[str, Figure], **more: Any) -> FigureRow:
    """A row of people."""
    return FigureRow(name, "human", dict(scores), {key: value for key, value in more.items() if value})


class Measured(NamedTuple):
    """The five measures of a study by name, each with its cells."""

    cells: dict[str, list[TaskCell]]

    def figures(self) -> dict[str, Figure]:
        """The mean of each with its interval."""
        return {name: figure_of(cells) for name, cells in self.cells.items() if cells}


def measured(answers: Sequence[GapAnswer], units: Mapping[str, str], reading: str = "one-minus") -> Measured:
    """Recovery and agreement, automatic and by hand, each over its unit."""
    values: dict[str, Callable[[list[GapAnswer]], float | None]] = {
        "recovery/automatic": share_right, "recovery/manual": share_hand,
        "agreement/automatic": agreeing("automatic", reading), "agreement/manual": agreeing("manual", reading),
    }  # fmt: skip
    return Measured({name: cells_of(answers, value, units[name]) for name, value in values.items() if name in units})


PRINTED_UNITS = {
    "recovery/automatic": "task",
    "recovery/manual": "cell",
    "agreement/automatic": "cell",
    "agreement/manual": "cell",
}


def effects(answers: Sequence[GapAnswer]) -> dict[str, Effect]:
    """The effect of the full text on the four measures over cells, and on the hand judgement by a mixed model."""
    return {
        "effect/full": condition_effect(cells_of(answers, strict_share_hand), "full"),
        "effect/full-all-cells": condition_effect(cells_of(answers, share_hand), "full"),
        "effect/full-mixed": mixed_effect(answers, "full"),
        "effect/recovery-automatic": condition_effect(cells_of(answers, share_right), "full"),
        "effect/agreement-automatic": condition_effect(cells_of(answers, agreeing("automatic")), "full"),
        "effect/agreement-manual": condition_effect(cells_of(answers, agreeing("manual")), "full"),
    }  # fmt: skip


def people_rows(study: BennettStudy) -> list[FigureRow]:
    """The paper's numbers, the readings behind them, and each condition."""
    whole = measured(study.answers, PRINTED_UNITS)
    first = people_row("people", whole.figures())
    try:
        tests = effects(study.answers)
        first.scores["effect/full"] = tests["effect/full"].figure
        first.more["effects"] = {name: effect.form() for name, effect in tests.items()}
    except Missing as error:
        first.more["problem"] = str(error)
    rows = [first]
    for unit in ("answer", "task", "cell", "person"):
        names = (
            PRINTED_UNITS
            if unit in ("task", "cell")
            else [name for name in PRINTED_UNITS if name.startswith("recovery")]
        )
        rows.append(people_row(f"people-by-{unit}", measured(study.answers, dict.fromkeys(names, unit)).figures()))
    agreement = {name: "cell" for name in PRINTED_UNITS if name.startswith("agreement")}
    rows += [
        people_row(f"people-{reading}", measured(study.answers, agreement, reading).figures())
        for reading in READINGS[1:]
    ]
    rows.append(condition_means(study.answers, CONDITIONS))
    for condition in CONDITIONS:
        part = [answer for answer in study.answers if answer.condition == condition]
        rows.append(people_row(f"people-{condition}", measured(part, dict.fromkeys(PRINTED_UNITS, "cell")).figures()))
    return rows


def own_verbs(study: BennettStudy) -> FigureRow:
    """The same answers, their main verbs found by our reader."""
    key = {task.id: task.verb for task in study.tasks}
    verbs = [answer_verb(answer.text) for answer in study.answers]
    answers = [
        msgspec.structs.replace(
            answer, right=bool(verb) and match(verb, key[answer.task]), label=gloss(verb) if verb else ""
        )
        for answer, verb in zip(study.answers, verbs, strict=True)
    ]
    units = {name: unit for name, unit in PRINTED_UNITS.items() if name.endswith("automatic")}
    by_text = {(row.person, task_of(row)): row.predicate.lower() for row in study.rows}
    pairs = [(verb, by_text[answer.person, answer.task]) for answer, verb in zip(study.answers, verbs, strict=True)]
    same = [
        (f"{number}", float(verb.split("_")[0] == other), answer.group)
        for number, ((verb, other), answer) in enumerate(zip(pairs, study.answers, strict=True))
    ]
    return people_row(
        "people-our-verbs", measured(answers, units).figures() | {"same_verb/corenlp": mean_figure(same, True)}
    )


def vector_row(study: BennettStudy) -> FigureRow:
    """Agreement as the mean cosine of two people's sentences in a cell, beside that of answers to different tasks."""
    from scenarist.models.endings.similarity import encoder

    vectors = encoder().encode(
        [answer.text for answer in study.answers], show_progress_bar=False, normalize_embeddings=True
    )
    together: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, answer in enumerate(study.answers):
        together[answer.task, answer.condition].append(number)
    near = [
        (f"{task}/{condition}", mean_cosine(vectors[part]), study.answers[part[0]].group)
        for (task, condition), part in together.items() if len(part) > 1
    ]  # fmt: skip
    far = []
    for number, answer in enumerate(study.answers):
        others = [other for other, entry in enumerate(study.answers) if entry.group != answer.group]
        far.append((f"{number}", float((vectors[others] @ vectors[number]).mean()), answer.group))
    by_name = {name: [entry for entry in near if entry[0].endswith(f"/{name}")] for name in CONDITIONS}
    scores = {"agreement/vectors": mean_figure(near), "agreement/vectors-chance": mean_figure(far)}
    return people_row(
        "people-vectors",
        scores | {f"agreement/vectors-{name}": mean_figure(part) for name, part in by_name.items() if part},
    )


def mean_cosine(vectors: Any) -> float:
    """The mean over all pairs."""
    size = len(vectors)
    return float(((vectors @ vectors.T).sum() - size) / (size * (size - 1)))


# Models


def model_of(name: str) -> Any:
    """One of our rows, learned."""
    corpus, settings = MODELS[name]
    model = make("model", NAMES.get(name, name), **settings)
    return model.fit(make("corpus", corpus, split="train")) if corpus else model


# The rendering


def rendering_row() -> FigureRow:
    """The caveman column beside our rendering of the same sentences: the share that is the same, by the paper's rule and by the file's."""
    sentences = list(
        dict.fromkeys(
            (sentence.document, " ".join(sentence.original.split()), sentence.caveman.strip())
            for sentence in files.chains()
        )
    )
    stories = list(make("reader", "default")([text for _, text, _ in sentences]))
    scores = {}
    for rule in ("paper", "released"):
        same = [
            (f"{number}", float(" ".join(render(story, "caveman", rule)).strip() == column), document)
            for number, ((document, _, column), story) in enumerate(zip(sentences, stories, strict=True))
        ]
        scores[f"same_rendering/{rule}"] = mean_figure(same, True)
    return FigureRow("our-rendering", "ours", scores)


# The table


def table(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:  # noqa: ARG001
    """The table `bennett`; the study has one part, so every split gives all of it."""
    study = read_study()
    rows = people_rows(study)
    optional: dict[str, Callable[[], FigureRow]] = {
        "people-halves": lambda: halves_row(study), "people-our-verbs": lambda: own_verbs(study),
        "people-vectors": lambda: vector_row(study), "our-rendering": rendering_row,
    }  # fmt: skip
    rows += [or_problem(name, make_row) for name, make_row in optional.items() if not only or name in only]
    published = published_ranks(list(files.rankings()))
    shared = {rank.task for rank in published}
    by_task = {
        "agreement": cells_of(study.answers, agreeing("automatic"), "task"),
        "performance": cells_of(study.answers, share_hand, "task"),
    }
    rows.append(ranked_row(PUBLISHED_MODEL, "published", published, shared, by_task))
    asked = asked_tasks(study.tasks)
    ours: dict[str, list[TaskRank]] = {}
    for name in MODELS:
        if not only or name in only:
            rows.append(or_problem(name, partial(our_row, name, ours, asked, shared, by_task, study.answers)))
    said = [
        f"{name}: {form['said']}"
        for row in rows
        if row.model in ("people", PUBLISHED_MODEL)
        for kind in ("effects", "slopes")
        for name, form in row.more.get(kind, {}).items()
    ]
    remarks = [*said, *study.remarks, *condition_gap_remarks(study), correction_remark(study.answers, seed)]
    remarks += rank_remarks(study.tasks, files.rankings())
    more = {
        "tests": rank_tests(ours, published),
        "resolution": [entry._asdict() for entry in resolution(study.answers, seed=seed)],
        "remarks": remarks,
        "figures": figure_data(study.answers, CONDITIONS, {PUBLISHED_MODEL: published, **ours}, by_task["agreement"]),
    }
    data = f"bennett#{content_hash(repr(answer).encode() for answer in study.answers)}"
    fields = {"exam": "gaps", "data": data, "agreement": "one-minus", "cap": int(CAP), "seed": seed, "v": __version__}
    return Analysis(rows, sign("bennett", fields), more)


def or_problem(name: str, make_row: Callable[[], FigureRow]) -> FigureRow:
    """A row, or why there is none."""
    try:
        return make_row()
    except (Missing, BadInput) as error:
        return FigureRow(name, "ours", {}, {"problem": str(error)})


def ranked_row(
    name: str, role: str, ranks: Sequence[TaskRank], shared: set[str], cells: Mapping[str, Sequence[TaskCell]]
) -> FigureRow:
    """The ranks of one model, and whether they follow people."""
    row = FigureRow(name, role, rank_scores(ranks, shared))
    try:
        lines = correlations(ranks, cells)
        row.more["slopes"] = {name: line.form() for name, line in lines.items()}
    except Missing as error:
        row.more["problem"] = str(error)
    return row


def our_row(
    name: str,
    ours: dict[str, list[TaskRank]],
    asked: Any,
    shared: set[str],
    cells: Mapping[str, Sequence[TaskCell]],
    answers: Sequence[GapAnswer],
) -> FigureRow:
    """A model of ours on the tasks, and how far its whole distribution is from people's; its ranks are kept in ``ours``."""
    given = model_answers(model_of(name), asked)
    ours[name] = given.ranks
    row = ranked_row(name, "ours", ours[name], shared, cells)
    row.scores["divergence/responses"] = compare_model(answers, given.predictions).divergence
    return row


def halves_row(study: BennettStudy) -> FigureRow:
    """How far two halves of the people are apart on the same tasks: what a distribution that is right would show, and more noise."""
    people = sorted({answer.person for answer in study.answers})
    halves = [[answer for answer in study.answers if answer.person in people[start::2]] for start in (0, 1)]
    return people_row("people-halves", {"divergence/responses": compare_people(halves[0], halves[1]).divergence})


def condition_gap_remarks(study: BennettStudy) -> list[str]:
    """Each pair of conditions: are the whole distributions of answers further apart than those of people drawn at random?"""
    said = []
    for first, second in combinations(CONDITIONS, 2):
        parts = [[answer for answer in study.answers if answer.condition == name] for name in (first, second)]
        gap = compare_people(parts[0], parts[1])
        said.append(
            f"Distributions of answers, {first} against {second}: {gap.divergence.value:.3f} bits on {gap.tasks} tasks, by chance "
            f"{gap.by_chance:.3f}, p = {gap.p:.3f}."
        )
    return said
