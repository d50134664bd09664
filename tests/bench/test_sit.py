"""The runner: keeps keys from solvers, stores batch by batch, resumes to the same, follows sequences."""

import zlib

import msgspec
import pytest

from scenarist.bench import sit as runner
from scenarist.errors import BadInput
from scenarist.question import Choice, Guess, Item, Prediction, WordGap
from scenarist.store.predictions import Header, Recorded, Section, question_hash
from scenarist.store.results import Results


def sit(store, model, exam, items, what, **settings):
    return runner.sit(runner.Answers(model, store, what, **settings), exam, items)


ITEMS = [
    Item(f"i{n:04}", Choice((f"Sentence {n}.",), ("Yes.", "No.")), str(n % 2), group=str(n // 2)) for n in range(600)
]


def header(table):
    return Header(table, "spy", "all", "dev", 1, "spy", {}, [], "listed", "none#0", "a command", "here", "today")


class Listed:
    """An exam made of ready items."""

    name = "listed"

    def __init__(self, items):
        self.items = items

    def settings(self):
        return {}

    def set(self, stories):
        yield from self.items


class Spy:
    """A model that remembers what it was shown, and may be interrupted."""

    name, learns = "spy", "nothing"

    def __init__(self, stop_at=None):
        self.seen, self.rated, self.stop_at = [], [], stop_at

    def fit(self, data):
        return self

    def answer(self, question):
        if self.stop_at is not None and len(self.seen) >= self.stop_at:
            raise KeyboardInterrupt
        self.seen.append(question)
        return Prediction("", (Guess("0", -0.5), Guess("1", -1.0)))

    def logp(self, question, answer):
        assert question in self.seen, "the key was shown before the answer was given"
        self.rated.append(answer)
        return -0.5 if answer == "0" else -1.0


def test_a_model_sees_questions_only_and_is_rated_after(tmp_path):
    spy = Spy()
    with Results(tmp_path / "r.sqlite") as store:
        asked, predictions = sit(store, lambda: spy, Listed(ITEMS), ITEMS, {"model": "spy"})
    assert spy.seen == [item.question for item in ITEMS]
    assert [item.id for item in asked] == [item.id for item in ITEMS]
    assert predictions["i0001"].key_logp == -1.0
    assert predictions["i0000"].by == "spy"


def test_an_interrupted_run_resumes_to_the_same_bytes(tmp_path):
    with Results(tmp_path / "whole.sqlite") as store:
        _, whole = sit(store, Spy, Listed(ITEMS), ITEMS, {"m": 1})
    with Results(tmp_path / "broken.sqlite") as store, pytest.raises(KeyboardInterrupt):
        sit(store, lambda: Spy(stop_at=400), Listed(ITEMS), ITEMS, {"m": 1})
    rest = Spy()
    with Results(tmp_path / "broken.sqlite") as store:
        _, resumed = sit(store, lambda: rest, Listed(ITEMS), ITEMS, {"m": 1})
    assert 0 < len(rest.seen) < len(ITEMS)
    assert msgspec.json.encode(list(resumed.items())) == msgspec.json.encode(list(whole.items()))


def test_guesses_are_stored_before_the_key_is_rated(tmp_path):
    class Broken(Spy):
        def logp(self, question, answer):
            raise KeyboardInterrupt

    with Results(tmp_path / "r.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            sit(store, Broken, Listed(ITEMS), ITEMS, {"m": 1})
        stored = store._base.execute("SELECT rated, predictions FROM batch").fetchall()
        assert [rated for rated, _ in stored] == [0]
        assert len(zlib.decompress(stored[0][1]).splitlines()) == runner.BATCH
        again = Spy()
        sit(store, lambda: again, Listed(ITEMS), ITEMS, {"m": 1})
        assert len(again.seen) == len(ITEMS)  # what was never rated is asked again
        assert store._base.execute("SELECT count(*) FROM batch WHERE rated = 0").fetchone() == (0,)


def test_what_is_recorded_is_not_asked_and_what_is_not_is(tmp_path):
    """Found by id and question: another question under a known id is asked live."""
    answers = {item.id: Recorded(question_hash(item.question), Prediction(item.id, (Guess("1"),))) for item in ITEMS}
    section = Section(header("listed"), answers)
    spy = Spy()
    changed = [msgspec.structs.replace(ITEMS[0], question=Choice(("Another.",), ("Yes.", "No."))), *ITEMS[1:]]
    with Results(tmp_path / "r.sqlite") as store:
        _, predictions = sit(store, never, Listed(ITEMS), ITEMS[5:40], never, recorded=section)
        assert {prediction.best for prediction in predictions.values()} == {"1"}
        asked = runner.Answers(lambda: spy, store, {"m": 1}, recorded=section)
        _, predictions = runner.sit(asked, Listed(changed), changed)
    assert spy.seen == [changed[0].question]
    assert list(predictions) == [item.id for item in changed]
    assert asked.replayed == len(ITEMS) - 1


def test_what_is_stored_is_not_asked_again_unless_refreshed(tmp_path):
    with Results(tmp_path / "r.sqlite") as store:
        sit(store, Spy, Listed(ITEMS), ITEMS, {"m": 1})
        sit(store, never, Listed(ITEMS), ITEMS, {"m": 1})
        with pytest.raises(AssertionError):
            sit(store, never, Listed(ITEMS), ITEMS, {"m": 1}, refresh=True)


def never():
    raise AssertionError("the model was made although all is known")


class Words(Listed):
    """A sequence: three words to be told one after the other."""

    name = "words"
    told = ("salt", "the", "water")

    def __init__(self, mode):
        super().__init__([Item("w.0", WordGap(("cook",), ("add",)), self.told[0], "w")])
        self.mode = mode

    def follow(self, item, answer):
        number = int(item.id.split(".")[1]) + 1
        if number == len(self.told):
            return None
        return Item(f"w.{number}", WordGap(("cook",), (*item.question.prefix, answer)), self.told[number], "w")


class Sugar(Spy):
    """Always says sugar."""

    logp = None

    def answer(self, question):
        self.seen.append(question)
        return Prediction("", (Guess("sugar"),))


@pytest.mark.parametrize("mode, last", [("oracle", ("add", "salt", "the")), ("greedy", ("add", "sugar", "sugar"))])
def test_sequences_carry_the_key_or_the_guess_forward(tmp_path, mode, last):
    model, exam = Sugar(), Words(mode)
    with Results(tmp_path / "r.sqlite") as store:
        asked, predictions = sit(store, lambda: model, exam, exam.items, {"m": mode})
    assert [item.id for item in asked] == ["w.0", "w.1", "w.2"]
    assert model.seen[-1].prefix == last
    assert len(predictions) == 3


def test_sequences_are_followed_to_their_ends_together_and_listed_by_depth(tmp_path, monkeypatch):
    """Whatever many are followed at once: the same items in the same order, and a model may forget the sequences before."""
    order = {}
    for many in (1, 2, 64):
        monkeypatch.setattr(runner, "FOLLOWED", many)
        model, exam = Sugar(), Words("greedy")
        exam.items = [Item(f"{name}.0", WordGap((name,), ("add",)), "salt", name) for name in ("a", "b", "c")]
        exam.follow = lambda item, answer: (
            None if item.id.endswith("2") else Item(
                f"{item.id[0]}.{int(item.id[2]) + 1}", WordGap((item.id[0],), (*item.question.prefix, answer)), "salt", item.id[0]
            )
        )  # fmt: skip
        with Results(tmp_path / f"{many}.sqlite") as store:
            asked, _ = sit(store, lambda model=model: model, exam, exam.items, {"m": many})
        order[many] = [item.id for item in asked]
        seen = [question.abstract[0] for question in model.seen]
        assert seen == {1: list("aaabbbccc"), 2: list("abababccc"), 64: list("abcabcabc")}[many]
    assert order[1] == order[2] == order[64] == ["a.0", "b.0", "c.0", "a.1", "b.1", "c.1", "a.2", "b.2", "c.2"]


def test_only_an_oracle_can_be_written_to_a_file():
    assert len(runner.unfold(Words("oracle"), Words("oracle").items)) == 3
    with pytest.raises(BadInput, match="greedy"):
        runner.unfold(Words("greedy"), Words("greedy").items)


def test_double_ids_and_empty_exams_are_refused():
    with pytest.raises(BadInput, match="two items"):
        runner.items_of(Listed([ITEMS[0], ITEMS[0]]), [])
    with pytest.raises(BadInput, match="no item"):
        runner.items_of(Listed([]), [])


def test_a_model_that_loses_answers_is_caught(tmp_path):
    class Lossy(Spy):
        def answer_many(self, questions):
            return [self.answer(question) for question in questions[1:]]

    with Results(tmp_path / "r.sqlite") as store, pytest.raises(BadInput, match="answered"):
        sit(store, Lossy, Listed(ITEMS), ITEMS, {"m": 1})


def test_the_hash_changes_with_a_key():
    other = [msgspec.structs.replace(ITEMS[0], key="1"), *ITEMS[1:]]
    assert runner.data_hash(ITEMS) != runner.data_hash(other)
