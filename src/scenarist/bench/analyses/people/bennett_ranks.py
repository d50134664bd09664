"""Ranks of models on Bennett's tasks -> figures of the table `bennett`: best ranks, whether they follow people, and paired tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scenarist.bench.analyses.people.answers import MeanOf, TaskCell, mean_figure, number_marks
from scenarist.bench.analyses.people.gap_ranks import CAP, GapTask, TaskRank, is_key_of
from scenarist.bench.analyses.people.regression import Effect, slope
from scenarist.bench.sheet import Figure, smallest
from scenarist.bench.significance import compare, holm
from scenarist.corpora.bennett import Ranking

PUBLISHED_MODEL = "pmi-2017"


def published_ranks(rankings: Sequence[Ranking]) -> list[TaskRank]:
    """The PMI model's ranks of each task it was asked: for the removed event and for people's, synonyms included, best and mean.

    An answer that the file holds twice (as given, and as a synonym of itself or of another) counts once in the mean.
    """
    by_task: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for ranking in rankings:
        ranks = by_task[f"{ranking.document}.{ranking.chain}.{ranking.blank}"][ranking.source]
        ranks[ranking.answer] = min(ranks.get(ranking.answer, CAP), ranking.rank)
    tasks = []
    for task, sources in sorted(by_task.items()):
        original, responses = (list(sources[name].values()) or [CAP] for name in ("actual", "response"))
        tasks.append(
            TaskRank(
                task, task.partition(".")[0], min(original), min(responses), float(np.mean(original)), float(np.mean(responses))
            )
        )  # fmt: skip
    return tasks


def rank_scores(ranks: Sequence[TaskRank], shared: set[str]) -> dict[str, Figure]:
    """Mean best ranks, over the tasks that the 2017 model ranked and over all, and how many are recalled."""
    scores = {}
    for field in ("original", "responses"):
        every = [(rank.task, float(getattr(rank, field)), rank.document) for rank in ranks]
        part = [triple for triple in every if triple[0] in shared]
        scores[f"min_rank/{field}"] = mean_figure(part)
        scores[f"recalled/{field}"] = mean_figure(
            [(task, float(rank < CAP), group) for task, rank, group in part], True
        )
        if len(every) > len(part):
            scores[f"min_rank/{field}-all"] = mean_figure(every)
        means = [
            (rank.task, float(value), rank.document)
            for rank in ranks if rank.task in shared and (value := getattr(rank, f"mean_{field}")) is not None
        ]  # fmt: skip
        if means:
            scores[f"mean_rank/{field}"] = mean_figure(means)
    return scores


def correlations(ranks: Sequence[TaskRank], cells: Mapping[str, Sequence[TaskCell]]) -> dict[str, Effect]:
    """How a model's best rank, and its mean rank where known, change with people's agreement and performance, task by task."""
    lines = {}
    for name, part in cells.items():
        by_task = {cell.task: cell.value for cell in part}
        for field in ("original", "responses", "mean_original", "mean_responses"):
            known = [rank for rank in ranks if rank.task in by_task and getattr(rank, field) is not None]
            if not known:
                continue
            xs, ys = [by_task[rank.task] for rank in known], [float(getattr(rank, field)) for rank in known]
            what = f"{'mean ' if field.startswith('mean') else ''}rank of the {field.removeprefix('mean_')}"
            lines[f"slope/{field.replace('_', '-')}-{name}"] = slope(xs, ys, f"{what} by {name}, {len(known)} tasks")
    return lines


def rank_tests(ours: Mapping[str, Sequence[TaskRank]], published: Sequence[TaskRank]) -> list[dict[str, Any]]:
    """Each of our models against the 2017 model on the tasks both ranked, corrected by Holm in each column."""
    tests = []
    metric = MeanOf()
    metric.higher = False
    for field in ("original", "responses"):
        pairs = []
        for name, ranks in ours.items():
            by_task = {rank.task: rank for rank in ranks}
            shared = [rank for rank in published if rank.task in by_task]
            first, second = (
                number_marks([(rank.task, getattr(rank, field), rank.document) for rank in part])
                for part in ([by_task[rank.task] for rank in shared], shared)
            )
            pairs.append((name, compare(metric, first, second)))
        for (name, comparison), corrected in zip(
            pairs, holm([comparison.p for _, comparison in pairs]) if pairs else [], strict=True
        ):
            tests.append(
                {
                    "column": f"min_rank/{field}",
                    "row": name,
                    "reference": PUBLISHED_MODEL,
                    "test": comparison.test,
                    "difference": comparison.difference,
                    "low": comparison.low,
                    "high": comparison.high,
                    "p": comparison.p,
                    "p_holm": float(corrected),
                    "detectable": smallest(comparison.low, comparison.high),
                }
            )
    return tests


def rank_remarks(given: Sequence[GapTask], rankings: Iterable[Ranking]) -> list[str]:
    """What the file of rankings is about."""
    tasks = {task.id: task for task in given}
    ranked = list(rankings)
    keys = [ranking for ranking in ranked if (ranking.source, ranking.exactness) == ("actual", "exact")]
    names = [f"{ranking.document}.{ranking.chain}.{ranking.blank}" for ranking in keys]
    same = sum(name in tasks and is_key_of(tasks[name], key.answer) for name, key in zip(names, keys, strict=True))
    return [
        f"The 2017 model ranked {len(set(names))} of {len(tasks)} tasks; in {same} of these its removed event is the verb, or a synonym, "
        "of the sentence shown as removed: its chains count events, the people's count sentences. So min_rank/original "
        "compares models on different keys, min_rank/responses on the same.",
        "A rank of 100 stands for not recalled; min_rank is the mean over tasks of the best rank, mean_rank "
        "of the mean over all right answers.",
    ]
