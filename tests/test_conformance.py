"""Every registered name keeps the promises of its kind, and the checks catch what does not.

What lacks weights, an extra or data is skipped by its name, with the reason.
"""

from __future__ import annotations

import functools
import multiprocessing.pool
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from scenarist.bench import spec
from scenarist.bench.question_sets import KINDS, question_set, toy
from scenarist.conformance import (
    Broken,
    check_corpus,
    check_exam,
    check_metric,
    check_model,
    check_reader,
    knows_key,
)
from scenarist.errors import Missing, ScenaristError
from scenarist.question import Choice, EventGap, Guess, Item, Prediction, Read, Reading
from scenarist.registry import index, load, make, names
from scenarist.story import Link
from tests.checked_model import check_and_watch


def absent(error: Exception) -> None:
    """Skip a name that lacks something, and say what."""
    pytest.skip(str(error)[:160])


# Models

EXACT: dict[str, dict[str, Any]] = {"causal-lm": {}, "constant": {}}
"""Rows whose settings are an approximation, or an answer to one kind of question: the model is checked as it is by itself."""


@functools.cache
def row_settings() -> dict[str, dict[str, Any]]:
    """Model -> the settings of its first row in a table: released weights in place of a training."""
    rows = [row for table in spec.names() for row in spec.load(table).row if row.role != "published"]
    return {row.model: row.settings for row in reversed(rows)} | EXACT


@pytest.fixture(scope="module")
def clean() -> Iterator[multiprocessing.pool.Pool]:
    """Processes, one a model, in which nothing was loaded before, so that the files it opens are seen."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["scenarist.conformance", "torch"])
    with context.Pool(1, maxtasksperchild=1) as pool:
        yield pool


MODELS = list({target: name for name, target in reversed(index("model").items())}.values())[::-1]
"""One name for each model: old names that are kept stand for the same."""


@pytest.mark.parametrize("name", MODELS)
def test_every_model_conforms_and_says_what_it_reads(name: str, clean: multiprocessing.pool.Pool) -> None:
    settings = row_settings().get(name, {})
    if name.endswith(":"):
        pytest.skip(f"model {name}: an address of somebody's model; tests/candidates asks real ones")
    done = clean.apply(check_and_watch, (name, settings))
    if done.lacks:
        pytest.skip(f"model {name}: {done.lacks[:160]}")
    assert {"`fit` returns self", "what `asks` names is answered", "other questions are refused with BadInput"} <= {
        *done.promises
    }
    assert set(done.opened) <= set(done.reads), "stored answers of other weights would be replayed"
    seen = {*done.opened} | {*done.reads} & {*done.loaded}
    assert bool(seen) == bool(done.reads), "the test sees no file being opened"


def test_every_kind_of_question_is_asked_of_some_model() -> None:
    asked = {question_set(kind).ask for kind in KINDS}
    classes = [
        load(target) for name, target in index("model").items() if name in ("reading", "frequency", "surprise-counts")
    ]
    assert asked == {kind for model in classes for kind in model.asks}


class Unsteady:
    """Another answer every time."""

    name, learns, asks = "unsteady", "nothing", (Choice,)
    count = 0

    def fit(self, data):
        return self

    def answer(self, question):
        self.count += 1
        return Prediction("", (Guess(str(self.count % 2)),))


class Boastful(Unsteady):
    """Claims what it does not answer, with chances above one."""

    def answer(self, question):
        return Prediction("", (Guess("0", 0.5), Guess("1", 0.1)))


class Anything(Unsteady):
    """Answers what it was not made for."""

    def answer(self, question):
        return Prediction("", (Guess("0"),))


class Lopsided(Unsteady):
    """Prefers the first choice."""

    def answer(self, question):
        return Prediction("", (Guess("0", -0.1), Guess("1", -2.4)))


@pytest.mark.parametrize(
    ("model", "promise"),
    [
        (Unsteady(), "order of asking"),
        (Boastful(), "at most zero"),
        (Lopsided(), "shuffling the choices"),
    ],
)
def test_a_broken_model_is_caught(model: object, promise: str) -> None:
    with pytest.raises(Broken, match=promise):
        check_model(model)  # type: ignore[arg-type]


def test_a_model_that_answers_everything_is_caught() -> None:
    model = Anything()
    model.positional = True  # type: ignore[attr-defined]
    with pytest.raises(Broken, match="other questions are refused"):
        check_model(model)  # type: ignore[arg-type]


# Corpora and readers


def corpora() -> list[str]:
    return [name for name in names("corpus") if not name.endswith(":")]


@pytest.mark.parametrize("name", corpora())
@pytest.mark.parametrize("split", ["train", "dev"])
def test_every_corpus_at_hand_conforms(name: str, split: str) -> None:
    try:
        done = check_corpus(name, split, most=20)
    except Missing as missing:
        absent(missing)
    except ScenaristError as error:
        assert "split" in str(error), error  # some corpora have no train or dev part and say so
        absent(error)
    assert "iterating twice gives the same" in done


class Forgetful:
    """A corpus that can be read once only."""

    name = "forgetful"

    def __init__(self):
        self.once = iter([Link("a"), Link("b")])

    def __iter__(self):
        return self.once


def test_a_corpus_that_is_read_once_is_caught() -> None:
    with pytest.raises(Broken, match="twice"):
        check_corpus(Forgetful())


READERS = {"spacy:": "spacy:en_core_web_sm", "corenlp:": "corenlp:http://127.0.0.1:9"}
"""A reader by kind, with something behind the colon."""
CONLLU = "# newdoc id = {id}\n# text = Ann ran.\n1\tAnn\tAnn\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n2\tran\trun\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No\n3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
COREF = (
    "#begin document ({id}); part 000\n{id}\t0\t0\tAnn\t(0)\n{id}\t0\t1\tran\t-\n{id}\t0\t2\t.\t-\n\n#end document\n"
)
FORMATS = {"conllu": CONLLU, "conll-coref": COREF}
"""Readers of a format, and a file of it."""


@pytest.mark.parametrize("name", names("reader"))
def test_every_reader_conforms(name: str) -> None:
    try:
        if name in FORMATS:
            done = check_reader(name, [FORMATS[name].format(id=document) for document in "ab"], plain=False)
        else:
            done = check_reader(READERS.get(name, name))
    except Missing as missing:
        absent(missing)
    assert "batches change nothing" in done


@pytest.mark.parametrize("room", ["corpus", "reader", "model", "exam", "metric"])
def test_every_name_has_a_docstring_and_loads(room: str) -> None:
    for name, target in index(room).items():
        try:
            thing = load(target)
        except Missing as missing:
            assert "pip install" in str(missing), name
            continue
        assert thing.__doc__, f"{room} {name} has no docstring"


# Exams

REKEYED = {"storycloze": lambda story: msgspec.structs.replace(story, answer=1 - story.answer)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_exam_conforms_in_every_form(kind: str) -> None:
    name, view, switches = KINDS[kind]
    done = check_exam(make("exam", name, **switches), toy("dev", view), REKEYED.get(name))
    assert {"item ids are distinct", "items survive JSON", "setting it twice gives the same items"} <= {*done}


def test_every_exam_sets_some_kind() -> None:
    assert {name for name, _, _ in KINDS.values()} == set(names("exam"))


# Metrics

FAMILIES = {
    "accuracy": "choice", "ranking": "event-gap", "surprisal": "word-gap", "labels": "where", "boundaries": "where", "agreement": "where",
    "ordering": "order", "events": "read", "judged": "left-out", "recovery": "sentence-gap",
    "paired": "choice-rewritten", "placing": "about-place", "unread": "choice",
}  # fmt: skip
"""The file a metric stands in -> the kind of question it marks."""
PARTS = {"parsing": "parse", "coreference": "coreference", "realis_f1": "realis", "chain_f1": "chains"}
"""Files and metrics of the exam `reading` -> the part of it they mark."""
FORGIVING = {"precision", "gold_precision", "accepted", "in_place"}
"""What is not claimed does not lower these."""
NOT_KEYED = {"information_content", "entropy_agreement", "sentences_per_s", "refused", "unparsed"}
"""Measured without a key: how much is said, how far people agree, how fast, what could not be read."""
SETTINGS = {"information_content": {"counts": {"go:subj": 3, "eat:obj": 1}}}
NUMBERED = {"synonym_recall": "synonym_recall@10"}
"""What is made with its number only."""


def gloss(item: Item) -> Item:
    """A text whose key is its caveman rendering."""
    return Item(item.id, Read("Ann ran."), "ann run.")


def read_gloss(item: Item) -> Prediction:
    story = next(iter(make("reader", "default")([item.question.text])))  # type: ignore[union-attr]
    return Prediction(item.id, (Guess(Reading(story)),))


def items_for(name: str) -> list[Item]:
    family = index("metric")[name].partition(":")[0].rpartition(".")[2]
    if name in PARTS or family in PARTS:
        read = list(make("reader", "default")([story.text for story in toy("dev", "stories")[:4]]))
        stories = [msgspec.structs.replace(story, id=f"s{number}") for number, story in enumerate(read)]
        return list(make("exam", "reading", part=PARTS.get(name) or PARTS[family]).set(stories))
    if family == "labels":
        return list(make("exam", "detection").set(toy("dev", "documents-noisy")))
    items = list(question_set(FAMILIES[family], 4).items)
    return [gloss(item) for item in items[:1]] if name == "caveman" else items


@pytest.mark.parametrize("name", names("metric"))
def test_every_metric_conforms(name: str) -> None:
    metric = make("metric", NUMBERED.get(name, name), **SETTINGS.get(name, {}))
    perfect = read_gloss if name == "caveman" else knows_key
    done = check_metric(metric, items_for(name), perfect, keyed=name not in NOT_KEYED, forgiving=name in FORGIVING)
    assert "`combine` works on arrays" in done


@pytest.mark.parametrize("name", ["accuracy", "mrr", "recall@1", "recall@5", "top5", "place1"])
def test_metrics_with_a_number_conform(name: str) -> None:
    items = list(question_set("order" if name == "place1" else "event-gap", 4).items)
    assert "a missing prediction counts as wrong" in check_metric(name, items)


class Generous:
    """All are right."""

    name, higher, proportion = "generous", True, True

    def settings(self):
        return {}

    def mark(self, item, prediction):
        return {"right": 1.0, "n": 1.0}

    def combine(self, totals):
        return totals["right"] / totals["n"]


class Forgiving(Generous):
    """Who does not answer is not counted."""

    def mark(self, item, prediction):
        return {"right": float(prediction is not None), "n": float(prediction is not None)}

    def combine(self, totals):
        return totals["right"] / totals["n"].clip(min=1.0)


class Unsaying(Generous):
    """Does not say what kind of number it gives."""

    proportion = None


@pytest.mark.parametrize(
    ("metric", "promise"),
    [
        (Generous(), "beats no answer"),
        (Forgiving(), "counts as wrong"),
        (Unsaying(), "says whether it is a proportion"),
    ],
)
def test_a_broken_metric_is_caught(metric: object, promise: str) -> None:
    items = [
        Item(f"g{number}", EventGap((Link("go", "subj"), Link("eat", "subj")), 1), "order:subj") for number in range(4)
    ]
    with pytest.raises(Broken, match=promise):
        check_metric(metric, items)  # type: ignore[arg-type]
