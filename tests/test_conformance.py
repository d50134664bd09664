"""Every registered name keeps the promises of its kind, and the checks catch what does not."""

import msgspec
import pytest

from scenarist.conformance import Broken, check_corpus, check_exam, check_metric, check_model, check_reader
from scenarist.errors import Missing, ScenaristError
from scenarist.question import Choice, EventGap, Guess, Item, Prediction
from scenarist.registry import index, load, make, names
from scenarist.story import Link

FLOOR = ("constant", "random", "majority", "frequency")
CHOICES = [Item(f"i{n}", Choice((f"Sentence {n}.",), ("Yes.", "No.")), str(n % 2)) for n in range(6)]
GAPS = [Item(f"g{n}", EventGap((Link("go", "subj"), Link("eat", "subj")), 1), "order:subj") for n in range(4)]


def corpora():
    return [name for name in names("corpus") if not name.endswith(":")]


@pytest.mark.parametrize("name", corpora())
@pytest.mark.parametrize("split", ["train", "dev"])
def test_every_corpus_at_hand_conforms(name, split):
    try:
        done = check_corpus(name, split, most=20)
    except Missing as missing:
        pytest.skip(str(missing)[:120])
    except ScenaristError as error:
        assert "split" in str(error), error  # some corpora have no train or dev part and say so
        pytest.skip(str(error)[:120])
    assert "iterating twice gives the same" in done


@pytest.mark.parametrize("name", FLOOR)
def test_floor_models_conform(name):
    assert "the order of asking changes nothing" in check_model(name)


@pytest.mark.parametrize("room", ["corpus", "reader", "model", "exam", "metric"])
def test_every_name_has_a_docstring_and_loads(room):
    for name, target in index(room).items():
        try:
            thing = load(target)
        except Missing as missing:
            assert "pip install" in str(missing), name
            continue
        assert thing.__doc__, f"{room} {name} has no docstring"


@pytest.mark.parametrize("name", ["accuracy", "mrr", "recall@1", "recall@5", "top5"])
def test_ranking_metrics_conform(name):
    assert "the key beats no answer" in check_metric(name, CHOICES)
    assert "shuffling tied candidates changes nothing" in check_metric(name, GAPS)


def test_exams_conform_on_toy():
    chains = list(make("corpus", "toy", split="dev", kind="chains"))
    assert "item ids are distinct" in check_exam("eventcloze", chains)
    documents = list(make("corpus", "toy", split="dev", kind="documents"))
    assert "items survive JSON" in check_exam("detection", documents)
    cloze = list(make("corpus", "toy", split="dev", kind="cloze"))

    def rekey(story):
        return msgspec.structs.replace(story, answer=1 - story.answer)

    assert "no question differs with its key" in check_exam("storycloze", cloze, rekey)


class Unsteady:
    name, learns = "unsteady", "nothing"
    count = 0

    def fit(self, data):
        return self

    def answer(self, question):
        self.count += 1
        return Prediction("", (Guess(str(self.count)),))


class Forgetful:
    """A corpus that can be read once only."""

    name = "forgetful"

    def __init__(self):
        self.once = iter([Link("a"), Link("b")])

    def __iter__(self):
        return self.once


class Generous:
    name, higher, proportion = "generous", True, True

    def settings(self):
        return {}

    def mark(self, item, prediction):
        return {"right": 1.0, "n": 1.0}

    def combine(self, totals):
        return totals["right"] / totals["n"]


class Unsaying(Generous):
    proportion = None


def test_broken_things_are_caught():
    with pytest.raises(Broken, match="order of asking"):
        check_model(Unsteady())
    with pytest.raises(Broken, match="twice"):
        check_corpus(Forgetful())
    with pytest.raises(Broken, match="beats no answer"):
        check_metric(Generous(), CHOICES)
    with pytest.raises(Broken, match="says whether it is a proportion"):
        check_metric(Unsaying(), CHOICES)


EVENT_MODELS = ("unigram", "bigram", "pmi", "pmi-cutoff", "pmi-ordered", "pmi-discounted", "unigram-instance", "bigram-instance", "mixture",
                "cooccurrence", "event-vectors", "participants")  # fmt: skip


@pytest.mark.parametrize("name", EVENT_MODELS)
def test_event_models_conform(name):
    chains = list(make("corpus", "toy", split="train", kind="chains"))
    asked = [
        item.question
        for item in make("exam", "eventcloze", gaps="each").set(make("corpus", "toy", split="dev", kind="chains"))
    ]
    assert "`fit` returns self" in check_model(name, asked[:6], chains)


def test_more_exams_conform_on_toy():
    stories = list(make("corpus", "toy", split="dev"))
    assert "setting it twice gives the same items" in check_exam("ordering", stories)
    pairs = list(make("corpus", "toy", split="dev", kind="pairs"))
    assert "items survive JSON" in check_exam("wordcloze", pairs)


def test_the_default_reader_conforms():
    assert "batches change nothing" in check_reader("default")
