"""Ranks of the 2017 model and of ours on made tasks: best ranks by document, paired tests, where a removed sentence stood, cosines."""

from __future__ import annotations

import numpy as np
import pytest

from scenarist.bench.analyses.people.answers import GapAnswer
from scenarist.bench.analyses.people.bennett import BennettStudy, mean_cosine, people_rows
from scenarist.bench.analyses.people.bennett_ranks import PUBLISHED_MODEL, published_ranks, rank_scores, rank_tests
from scenarist.bench.analyses.people.gap_ranks import CAP, TaskRank, study_tasks
from scenarist.corpora.bennett import ChainSentence, Ranking, Response


def ranking(document: str, source: str, rank: float, exactness: str = "exact") -> Ranking:
    return Ranking(document, "c1", 2, source, exactness, "leave", rank, "subj")


def test_the_best_rank_counts_and_belongs_to_its_document():
    rankings = [
        ranking("007", "actual", 40.0), ranking("007", "actual", 12.0, "syns"), ranking("007", "response", 31.0), ranking("019", "actual", 3.0)
    ]  # fmt: skip
    assert published_ranks(rankings) == [
        TaskRank("007.c1.2", "007", 12.0, 31.0, 12.0, 31.0),
        TaskRank("019.c1.2", "019", 3.0, CAP, 3.0, CAP),  # nothing that people said was recalled
    ]


def test_the_mean_rank_is_over_the_right_answers_each_at_most_100():
    rankings = [
        Ranking("007", "c1", 2, "response", kind, verb, rank, role)
        for kind, verb, role, rank in (
            ("exact", "leave", "nsubj", 4.0), ("syns", "leave", "nsubj", 4.0), ("syns", "depart", "dobj", 900.0),
            ("syns", "depart", "nsubj", 16.0), ("syns", "go_away", "nsubj", 1048.0),
        )
    ]  # fmt: skip
    (rank,) = published_ranks(rankings)
    assert (rank.responses, rank.mean_responses) == (4.0, 40.0)  # 4, 16 and 100
    assert (rank.original, rank.mean_original) == (CAP, CAP)
    scores = rank_scores([rank], {rank.task})
    assert scores["mean_rank/responses"].value == 40.0 and scores["min_rank/responses"].value == 4.0
    ours = rank_scores([TaskRank(rank.task, "007", 1.0, 2.0)], {rank.task})
    assert "mean_rank/responses" not in ours  # where only the best was asked for


def test_each_model_is_tested_against_the_2017_model_in_both_columns():
    published = [TaskRank(f"{number}.a.0", str(number), 50.0 + number, 20.0) for number in range(30)]
    better = [TaskRank(rank.task, rank.document, rank.original - 30.0, 20.0) for rank in published]
    tests = rank_tests({"better": better, "same": published}, published)
    assert [(test["column"], test["row"]) for test in tests] == [
        ("min_rank/original", "better"), ("min_rank/original", "same"), ("min_rank/responses", "better"), ("min_rank/responses", "same")
    ]  # fmt: skip
    assert {test["reference"] for test in tests} == {PUBLISHED_MODEL}
    assert [test["difference"] for test in tests] == [-30.0, 0.0, 0.0, 0.0]
    assert tests[0]["p_holm"] < 0.05 < tests[1]["p_holm"] and tests[0]["p_holm"] >= tests[0]["p"]


def task(shown: str, removed: str, blank: int = 1):
    rows = [Response("p1", "003", "c", blank, removed, removed, "They ate.", "full", predicate="Eat")]
    chain = [ChainSentence("c", "003", 3, text, text, text) for text in ("Ann woke.", shown, "Ann left.")]
    (found,) = study_tasks(rows, chain, {f"003.c.{blank}": "cook"})
    return found


def test_a_removed_sentence_is_found_by_its_letters_else_the_blank_says_where():
    placed = task("Ann cooked soup !", "Ann cooked soup.")
    assert placed.placed and placed.gap == 1 and placed.sentences == ("Ann woke.", "Ann left.")
    assert placed.verb == "cook" and placed.responses == {"eat"}
    lost = task("Ann slept.", "Ann cooked soup.", 2)
    assert not lost.placed and lost.gap == 2
    assert lost.sentences == ("Ann woke.", "Ann slept.", "Ann left.")  # no sentence of the chain is the removed one


def test_every_reading_of_the_same_answers_is_a_row_of_its_own():
    """Two tasks of two conditions, uneven: the share over answers is not that over tasks."""
    answers = [
        GapAnswer(f"p{number}", task, condition, "x", task, right, label, right, label)
        for number, (task, condition, right, label) in enumerate(
            [("t1", "full", True, "go"), ("t1", "full", True, "go"), ("t1", "full", False, "eat"), ("t1", "caveman", True, "go"),
             ("t1", "caveman", True, "go"), ("t2", "full", False, "sit"), ("t2", "caveman", False, "sit"), ("t2", "caveman", False, "go")]
        )
    ]  # fmt: skip
    rows = {row.model: row.scores for row in people_rows(BennettStudy([], answers, [], []))}
    units = {
        unit: rows[f"people-by-{unit}"]["recovery/automatic"].value for unit in ("answer", "task", "cell", "person")
    }
    assert units == pytest.approx(
        {"answer": 4 / 8, "task": (4 / 5 + 0) / 2, "cell": (2 / 3 + 1 + 0 + 0) / 4, "person": 4 / 8}
    )
    assert set(rows["people-by-answer"]) == {"recovery/automatic", "recovery/manual"}
    assert "agreement/automatic" in rows["people-by-task"] and "agreement/automatic" in rows["people-by-cell"]
    assert rows["people"]["recovery/automatic"].value == pytest.approx(0.4)  # printed over tasks
    assert rows["people-full"]["recovery/automatic"].value == pytest.approx(1 / 3)


def test_the_mean_cosine_is_over_pairs_of_two_people():
    assert mean_cosine(np.eye(3)) == 0.0
    assert mean_cosine(np.array([[1.0, 0.0]] * 4)) == pytest.approx(1.0)
    half = np.array([[1.0, 0.0], [0.5, 3**0.5 / 2], [1.0, 0.0]])
    assert mean_cosine(half) == pytest.approx((0.5 + 0.5 + 1.0) / 3)
