"""The ladder against a real server that behaves, and against those that do not."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from scenarist.errors import BadInput, BudgetSpent, Missing
from scenarist.networks.addresses.base import Continuations
from scenarist.networks.addresses.budget import Budget, spending
from scenarist.networks.addresses.client import Refused
from scenarist.networks.addresses.ladder import letter_levels
from scenarist.networks.addresses.server import ServedModel
from scenarist.question import Choice, Order
from scenarist.registry import make
from tests.candidates.small_server import SmallServer, word_logp

ASKED = [Continuations("Ann ran home.", (" She was tired.", " She was a fish."))]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    monkeypatch.delenv("SCENARIST_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("scenarist.networks.addresses.client.FIRST_PAUSE", 0.01)


def model(server: SmallServer, score: str = "", concurrency: int = 1) -> ServedModel:
    return ServedModel(server.address.removeprefix("openai:"), score, concurrency)


@pytest.mark.parametrize(
    "manner, step",
    [
        ("", "echo"),
        ("busy", "echo"),
        ("cut", "echo"),
        ("vllm", "prompt-logprobs"),
        ("letters", "letters"),
        ("text-only", "text"),
    ],
)
def test_the_best_step_that_the_server_does(manner: str, step: str) -> None:
    with SmallServer(manner) as server:
        served = model(server).ready()
        assert served.step == step
        if step in ("echo", "prompt-logprobs"):
            ((first, second),) = served.logps(ASKED)
            expected = sum(
                word_logp("Ann ran home." + " She was tired."[:start], piece)
                for start, piece in ((0, " She"), (4, " was"), (8, " tired."))
            )
            assert first.logp == pytest.approx(expected)
            assert (first.tokens, second.tokens) == (3, 4)


@pytest.mark.parametrize(
    "manner, why",
    [
        ("echo-ignored", "`echo` is ignored"),
        ("null-logprobs", "no log-probabilities"),
        ("chat-logprobs", "`echo` is ignored"),
        ("flat", "log-probabilities are zero"),
    ],
)
def test_a_server_that_answers_200_and_does_something_else_is_found_out(manner: str, why: str) -> None:
    with SmallServer(manner) as server:
        served = model(server, "echo")
        with pytest.raises(BadInput, match=why):
            served.ready()


def test_equal_scores_for_all_choices_are_an_error_and_no_result() -> None:
    with SmallServer("flat-later") as server:
        served = model(server).ready()
        with pytest.raises(BadInput, match="all choices got the same score"):
            served.logps([Continuations("Ann ran home.", (" She slept.", " She ate."))])


@pytest.mark.parametrize(
    "manner, error, says",
    [
        ("html", BadInput, "a web page, not JSON"),
        ("wrong-key", BadInput, "SCENARIST_API_KEY"),
        ("long", BadInput, "too long for the model"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(manner: str, error: type[Exception], says: str) -> None:
    with SmallServer(manner) as server, pytest.raises(error, match=says):
        model(server).ready()


def test_no_server_and_no_such_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with SmallServer() as server:
        gone = server.address.removeprefix("openai:")
        with pytest.raises(BadInput, match=r"knows no model 'large'\. It serves: small"):
            ServedModel(f"{server.url}#large").ready()
    with pytest.raises(Missing, match="No server answers"):
        ServedModel(gone).ready()
    with pytest.raises(Missing, match="No server answers"):
        ServedModel(gone.partition("#")[0]).ready()  # nor is it said that a server serves nothing
    with SmallServer("html") as server, pytest.raises(BadInput, match="a web page, not JSON"):
        ServedModel(server.url).ready()
    with pytest.raises(BadInput, match="is no address"):
        ServedModel("ftp://x#y")


def test_the_right_key_is_let_in_and_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_API_KEY", "right")
    with SmallServer("wrong-key") as server:
        model(server, "echo").ready().logps(ASKED)
    assert not any(b"right" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_answers_are_kept_and_asked_for_once() -> None:
    with SmallServer() as server:
        first = model(server).ready().logps(ASKED)
        before = len(server.requests)
        again = model(server).ready()
        probes = len(server.requests) - before
        assert again.logps(ASKED) == first
        assert len(server.requests) == before + probes, "the probe is asked anew, the questions are not"


def test_another_model_under_the_same_name_gets_no_kept_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with SmallServer() as server:
        first = model(server).ready().logps(ASKED)
        monkeypatch.setattr(
            "tests.candidates.small_server.word_logp", lambda before, token: word_logp(before, token) * 1.5
        )
        assert model(server).ready().logps(ASKED) != first


def test_a_budget_ends_with_a_sentence_and_the_next_run_goes_on() -> None:
    pairs = [Continuations(f"Day {day}.", (" It rained.", " Sun.")) for day in range(10)]
    with SmallServer() as server:
        with spending(Budget(requests=14)), pytest.raises(BudgetSpent, match="same command goes on") as caught:
            model(server).ready().logps(pairs)
        assert caught.value.code == 4
        assert len(server.requests) == 14
        model(server).ready().logps(pairs)
        sent = [
            str(request["body"]["prompt"]) for request in server.requests if "Day" in str(request["body"].get("prompt"))
        ]
        assert len(sent) == len(set(sent)) == 20


def test_a_budget_in_money_needs_prices() -> None:
    with pytest.raises(BadInput, match="--prices in="):
        Budget.parse("money=2")
    with pytest.raises(BadInput, match="Not understood: 'euro=2'"):
        Budget.parse("euro=2")


def test_letters_are_asked_in_both_orders() -> None:
    with SmallServer("letters") as server:
        candidate = make("model", server.address, score="letters")
        prediction = candidate.answer(Choice(("Ann ran.",), ("She slept.", "She flew.")))
    assert "in the order given" in prediction.guesses[0].why[0] and "backwards" in prediction.guesses[0].why[0]
    shown = [request["body"]["messages"][0]["content"] for request in server.requests if "Ann ran" in str(request)]
    assert sorted("A. She slept." in text for text in shown) == [False, True], "asked at once, in no order"


@pytest.mark.parametrize("word, note", [("refuse", "refused"), ("ramble", "unparsed")])
def test_refusals_and_ramblings_are_marks_and_no_guesses(word: str, note: str) -> None:
    with SmallServer("text-only") as server:
        candidate = make("model", server.address)
        prediction = candidate.answer(Choice((f"They {word}.",), ("She slept.", "She flew.")))
    assert (prediction.guesses, prediction.note) == ((), note)


def test_an_order_is_asked_for_and_read() -> None:
    with SmallServer("text-only") as server:
        prediction = make("model", server.address).answer(Order(("One.", "Two.", "Three.", "Four.", "Five.")))
    assert prediction.guesses[0].answer.order == (1, 0, 2, 3, 4)


def test_a_model_without_likelihoods_says_what_to_type() -> None:
    with SmallServer("text-only") as server, pytest.raises(BadInput, match="--set score=letters"):
        model(server, "echo").ready()


@pytest.mark.parametrize("listed", [[], [{}], [{"A": -0.1}], None])
def test_a_server_that_lists_no_likely_tokens_is_refused(listed: object) -> None:
    with pytest.raises(Refused, match="does not list the likeliest tokens"):
        letter_levels({"logprobs": {"top_logprobs": listed}}, ("A", "B"))


def test_a_letter_that_is_not_listed_is_no_likelier_than_the_last() -> None:
    levels = letter_levels({"logprobs": {"top_logprobs": [{"A": -0.5, " A": -2.0, "x": -3.0}]}}, ("A", "B"))
    assert levels[0] == pytest.approx(math.log(math.exp(-0.5) + math.exp(-2.0))) and levels[1] == -3.0
    with pytest.raises(Refused, match="none of the letters"):
        letter_levels({"logprobs": {"top_logprobs": [{"x": -0.5, "y": -2.0}]}}, ("A", "B"))
