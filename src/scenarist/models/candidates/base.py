"""Question -> Guesses by a language model at an address: what every such model does, whatever it runs on.

A Choice by ln P of its texts (``how``: ``pmi`` takes off what a text is likely by itself, ``sum`` and ``mean`` do not), by letters in two
orders, averaged (both are told under `why`), or by what the model writes. A gap with choices is scored likewise; one without is asked for
in words, and so are Where and Order. What cannot be read is no guess but a mark (`parsing`). ``shots`` worked examples of a train split
stand before each question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from scenarist.errors import BadInput
from scenarist.inventory import inventory
from scenarist.models.candidates import parsing
from scenarist.models.candidates import prompts as wording
from scenarist.models.candidates.votes import averaged, ranked, shares, shares_log, voted
from scenarist.networks.addresses.base import LIKELIHOOD, Continuations, Scorer, check_scores
from scenarist.question import (
    Answer,
    AnyQuestion,
    Choice,
    EventGap,
    Example,
    Guess,
    Order,
    Prediction,
    Question,
    Unsaid,
    Where,
    WordGap,
)
from scenarist.signature import content_hash
from scenarist.story import sentence_texts

HOW = ("pmi", "sum", "mean")
VIEWS = ("story", "choices")
MOST_WORDS = 2500
WRITTEN = {"letter": 8, "list": 120, "order": 40, "segments": 160, "scenario": 24, "word": 6}
"""Tokens that a model may write for an answer."""
LIST_SCHEMA: dict[str, object] = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 10}


class CandidateModel:
    """A language model that sits exams."""

    name = "candidate"
    asks: tuple[type[Question], ...] = (Choice, EventGap, WordGap, Unsaid, Where, Order)
    positional = True
    """Where it is asked by letters, the order of the choices may matter; both orders are asked."""

    def __init__(
        self, how: str = "pmi", score: str = "", shots: int = 0, prompts: str = "v1", words: str = "", see: str = "story"
    ) -> None:  # fmt: skip
        if see not in VIEWS:
            raise BadInput(f"`see` is one of {', '.join(VIEWS)}, not {see!r}.")
        if how not in HOW:
            raise BadInput(f"`how` is one of {', '.join(HOW)}, not {how!r}.")
        if shots < 0:
            raise BadInput(f"`shots` is a number of examples, not {shots}.")
        self.how, self.score, self.shots, self.words, self.see = how, score, shots, words, see
        self.prompts = wording.prompts_of(prompts)
        self.learns = "examples" if shots else "nothing"
        self.examples_: list[Example] = []

    def scorer(self) -> Scorer:
        """The model behind it."""
        raise NotImplementedError

    @property
    def step(self) -> str:
        """The step of the ladder that it is asked on."""
        return self.score or self.scorer().step

    def fields(self) -> Mapping[str, object]:
        """What its numbers' signatures say of it."""
        scorer = self.scorer()
        return {
            "model": scorer.name, "score": self.step, "how": self.how, "prompts": self.prompts.name, "chat": scorer.chat or "none",
            "shots": self.shots, "canary": scorer.identity, **({"see": self.see} if self.see != "story" else {}),
        }  # fmt: skip

    def fit(self, data: Iterable[Any]) -> Self:
        """Keep the worked examples that are shown: those whose hashes come first, whatever order they came in."""
        examples = [example for example in data if isinstance(example, Example)]
        if self.shots > len(examples):
            raise BadInput(f"{self.shots} examples were asked for, and the training data have {len(examples)}.")
        self.examples_ = sorted(examples, key=lambda example: content_hash([str(example).encode()]))[: self.shots]
        return self

    # Answering

    def answer(self, question: AnyQuestion) -> Prediction:
        return self.answer_many([question])[0]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions, those of a kind together; with ``see="choices"`` nothing of a choice but its texts."""
        if self.see == "choices":
            questions = [
                question.without_context() if isinstance(question, Choice) else question for question in questions
            ]
        out: dict[int, Prediction] = {}
        kinds: dict[str, list[int]] = {}
        for index, question in enumerate(questions):
            kinds.setdefault(self.kind(question), []).append(index)
        handlers: Mapping[str, Callable[[list[Any]], list[Prediction]]] = {
            "choice": self.choose, "candidates": self.rank_texts, "words": self.rank_texts, "list": self.ask_list, "word": self.ask_word,
            "where": self.ask_where, "order": self.ask_order,
        }  # fmt: skip
        for kind, indices in kinds.items():
            answers = handlers[kind]([questions[index] for index in indices])
            out.update(zip(indices, answers, strict=True))
        return [out[index] for index in range(len(questions))]

    def kind(self, question: AnyQuestion) -> str:
        """How a question is put."""
        if isinstance(question, Choice):
            return "choice"
        if isinstance(question, EventGap | Unsaid):
            return "candidates" if question.choices and self.step in LIKELIHOOD else "list"
        if isinstance(question, WordGap):
            return "words" if self.words and self.step in LIKELIHOOD else "word"
        if isinstance(question, Where):
            return "where"
        if isinstance(question, Order):
            return "order"
        raise BadInput(f"A language model is not asked questions of kind {type(question).__name__}.")

    def choose(self, questions: list[Choice]) -> list[Prediction]:
        """Choices by likelihood, letters or text."""
        if self.step in LIKELIHOOD:
            return self.choose_by_likelihood(questions)
        return self.choose_by_letter(questions)

    def choose_by_likelihood(self, questions: list[Choice]) -> list[Prediction]:
        """One number for each choice."""
        told = self.scorer().logps([part for question in questions for part in self.told(question)])
        rows = iter(told)
        scores: list[list[tuple[float, int]]] = []
        for question in questions:
            parts = [next(rows) for _ in self.told(question)]
            scores.append([(part.logp, part.tokens) for row in parts for part in row])
        apart = [
            question
            for question in questions
            if self.how == "pmi" and question.context and question.relation != "cause"
        ]
        alone = (
            dict(zip(apart, self.scorer().logps([self.alone(question) for question in apart]), strict=True))
            if apart
            else {}
        )
        out = []
        for question, row in zip(questions, scores, strict=True):
            levels = [value / (size if self.how == "mean" else 1) for value, size in row]
            if len(set(question.choices)) == len(question.choices):
                check_scores(levels, self.scorer().name)
            if question in alone:
                levels = [level - score.logp for level, score in zip(levels, alone[question], strict=True)]
            out.append(ranked(levels, self.scorer().name))
        return out

    def told(self, question: Choice) -> list[Continuations]:
        """What is scored: the choices after the context; for a cause, the event after each choice."""
        section = question.relation or "continue"
        activity = self.activity(question)
        focus = wording.focus_of(question)
        if section == "cause" and focus:
            after = self.prompts.fill("cause", "after", focus=wording.clause_case(focus))
            return [
                Continuations(
                    self.shown(question)
                    + self.prompts.fill("cause", "before", activity=activity, choice=wording.sentence_case(choice)),
                    (after,),
                )
                for choice in question.choices
            ]
        if section == "cause":
            section = "effect"
        before = self.prompts.fill(section, "before", activity=activity, focus=focus, story=wording.story_of(question))
        if not before.strip():
            before = self.prompts.fill("alone", "before")
        return [Continuations(self.shown(question) + before, self.afters(section, question))]

    def alone(self, question: Choice) -> Continuations:
        """What is taken off: the choices after nothing."""
        if question.relation == "effect":
            before = self.prompts.fill("effect", "before", activity=self.activity(question), focus="", story="")
        else:
            before = self.prompts.fill("alone", "before")
        return Continuations(before.strip(), self.afters(question.relation or "continue", question))

    def afters(self, section: str, question: Choice) -> tuple[str, ...]:
        """The choices as they follow."""
        if section == "continue":
            return tuple(self.prompts.fill(section, "after", choice=choice.strip()) for choice in question.choices)
        clauses = (wording.clause_case(wording.sentence_case(choice)) for choice in question.choices)
        return tuple(self.prompts.fill(section, "after", choice=clause) for clause in clauses)

    def activity(self, question: Choice) -> str:
        """The sentence that names the activity."""
        return self.prompts.fill("activity", "before", activity=question.scenario) if question.scenario else ""

    def shown(self, question: Choice) -> str:
        """The worked examples before a question."""
        texts = []
        for example in self.examples_:
            asked = example.question
            if isinstance(asked, Choice) and asked.relation == question.relation and isinstance(example.answer, str):
                texts.append(
                    f"{wording.story_of(asked)} {wording.sentence_case(asked.choices[int(example.answer)])}".strip()
                )
        return "\n\n".join([*texts, ""]) if texts else ""

    def choose_by_letter(self, questions: list[Choice]) -> list[Prediction]:
        """Choices under letters, in two orders, averaged."""
        prompts: list[str] = []
        for question in questions:
            if not 2 <= len(question.choices) <= len(wording.LETTERS):
                raise BadInput(
                    f"By letters one chooses among 2 to {len(wording.LETTERS)} texts, not {len(question.choices)}."
                )
            prompts += [self.letter_prompt(question, backwards) for backwards in (False, True)]
        letters = [wording.LETTERS[: len(question.choices)] for question in questions for _ in range(2)]
        if self.step == "letters":
            widest = max(letters, key=len)
            levels = self.scorer().letters(prompts, widest)
            rows: list[list[float] | str] = [shares(row[: len(own)]) for row, own in zip(levels, letters, strict=True)]
        else:
            written = self.scorer().write(prompts, WRITTEN["letter"])
            rows = [voted(text, own) for text, own in zip(written, letters, strict=True)]
        name = self.scorer().name
        return [
            averaged(rows[2 * index], rows[2 * index + 1], name, self.step == "letters")
            for index in range(len(questions))
        ]

    def letter_prompt(self, question: Choice, backwards: bool) -> str:
        """A choice as a question, with worked examples before it."""
        texts = [self.asked(question, question.choices[::-1] if backwards else question.choices)]
        for example in reversed(self.examples_):
            asked = example.question
            if isinstance(asked, Choice) and isinstance(example.answer, str):
                texts.insert(0, f"{self.asked(asked, asked.choices)} {wording.LETTERS[int(example.answer)]}")
        return "\n\n".join(texts)

    def asked(self, question: Choice, choices: Sequence[str]) -> str:
        """The question in words."""
        return self.prompts.fill(
            question.relation or "continue", "ask", activity=self.activity(question), story=wording.story_of(question),
            focus=wording.focus_of(question), choices=wording.lettered(choices),
        ).strip()  # fmt: skip

    def rank_texts(self, questions: list[EventGap | Unsaid | WordGap]) -> list[Prediction]:
        """Candidates of a gap by ln P, what each is likely by itself taken off where ``how`` says so; words are never changed."""
        out = []
        for question in questions:
            answers, texts, before, section = self.candidates(question)
            after = tuple(self.prompts.fill(section, "after", choice=text) for text in texts)
            (told,) = self.scorer().logps([Continuations(before, after)])
            levels = [score.logp / (score.tokens if self.how == "mean" else 1) for score in told]
            if self.how == "pmi" and section != "word-gap":
                (alone,) = self.scorer().logps([Continuations(self.prompts.fill("alone", "before"), after)])
                levels = [level - score.logp for level, score in zip(levels, alone, strict=True)]
            values = shares_log(levels)
            order = sorted(range(len(levels)), key=lambda index: (-values[index], index))
            guesses = tuple(Guess(answers[index], values[index]) for index in order)
            out.append(Prediction("", guesses, by=self.scorer().name, rest=0.0))
        return out

    def candidates(self, question: EventGap | Unsaid | WordGap) -> tuple[list[str], list[str], str, str]:
        """Answers, their texts, what stands before them, and the section of the prompts."""
        if isinstance(question, EventGap):
            texts = [wording.sentence_case(wording.spoken_link(link)) for link in question.choices]
            before = self.prompts.fill("event-gap", "before", events=wording.told_events(question).replace("___ ", ""))
            return [str(link) for link in question.choices], texts, before, "event-gap"
        if isinstance(question, Unsaid):
            texts = [wording.sentence_case(choice.replace("_", " ")) for choice in question.choices]
            return (
                list(question.choices),
                texts,
                self.prompts.fill("unsaid", "before", story=wording.told_story(question)),
                "unsaid",
            )
        words = self.word_list()
        before = self.prompts.fill(
            "word-gap", "before", abstract=" ".join(question.abstract), prefix=" ".join(question.prefix)
        )
        return words, words, before.rstrip(), "word-gap"

    def word_list(self) -> list[str]:
        """The admissible words of a word gap."""
        path = Path(self.words).expanduser()
        if not path.is_file():
            raise BadInput(f"There is no list of words {self.words}. Expected a file with one word a line.")
        words = list(dict.fromkeys(path.read_text(encoding="utf-8").split()))
        if not 2 <= len(words) <= MOST_WORDS:
            raise BadInput(f"{path}: expected 2 to {MOST_WORDS} words, got {len(words)}.")
        return words

    # Asking in words

    def written(self, prompts: Sequence[str], most: str, schema: dict[str, object] | None = None) -> list[str]:
        """What the model writes after some prompts."""
        return self.scorer().write(prompts, WRITTEN[most], schema)

    def ask_list(self, questions: list[EventGap | Unsaid]) -> list[Prediction]:
        """Events in a list."""
        prompts = []
        for question in questions:
            if isinstance(question, EventGap):
                prompts.append(self.prompts.fill("event-gap", "ask", events=wording.told_events(question)))
            else:
                place = "" if question.place is None else f" before sentence {question.place + 1}"
                story = " ".join(sentence_texts(question.story))
                prompts.append(self.prompts.fill("unsaid", "ask", story=story, place=place))
        texts = self.written(prompts, "list")
        return [
            self.read(text, parsing.read_events if isinstance(question, EventGap) else parsing.read_phrases, question)
            for text, question in zip(texts, questions, strict=True)
        ]

    def ask_word(self, questions: list[WordGap]) -> list[Prediction]:
        """One word."""
        prompts = [
            self.prompts.fill("word-gap", "ask", abstract=" ".join(gap.abstract), prefix=" ".join(gap.prefix))
            for gap in questions
        ]
        texts = self.written(prompts, "word")
        return [self.read(text, parsing.read_word, gap) for text, gap in zip(texts, questions, strict=True)]

    def ask_where(self, questions: list[Where]) -> list[Prediction]:
        """Scenarios, of the whole or in segments."""
        scenarios = ", ".join(scenario.name for scenario in inventory())
        stories = [list(sentence_texts(question.story)) for question in questions]
        prompts = [
            self.prompts.fill("where-whole", "ask", sentences=" ".join(story), scenarios=scenarios)
            if question.whole
            else self.prompts.fill("where", "ask", sentences=wording.numbered(story), scenarios=scenarios)
            for question, story in zip(questions, stories, strict=True)
        ]
        texts = self.written(prompts, "segments")
        readers = [
            parsing.read_scenario if question.whole else partial(parsing.read_segments, sentences=len(story))
            for question, story in zip(questions, stories, strict=True)
        ]
        return [self.read(*given) for given in zip(texts, readers, questions, strict=True)]

    def ask_order(self, questions: list[Order]) -> list[Prediction]:
        """The numbers of the sentences in order."""
        prompts = [
            self.prompts.fill("order", "ask", sentences=wording.numbered(order.sentences)) for order in questions
        ]
        texts = self.written(prompts, "order")
        readers = [partial(parsing.read_order, count=len(order.sentences)) for order in questions]
        return [self.read(*given) for given in zip(texts, readers, questions, strict=True)]

    def read(self, text: str, reader: Callable[[str], Answer | list[Answer]], question: AnyQuestion) -> Prediction:
        """What was written as guesses, or the mark that says why there are none."""
        name = self.scorer().name
        try:
            given = reader(text)
        except parsing.Unread as error:
            return Prediction("", (), by=name, note=str(error))
        answers = given if isinstance(given, list) else [given]
        if listed := getattr(question, "choices", ()):
            allowed = {str(choice): str(choice) for choice in listed}
            answers = [allowed[str(answer)] for answer in answers if str(answer) in allowed]
            if not answers:
                return Prediction("", (), by=name, note=parsing.UNPARSED)
        return Prediction("", tuple(Guess(answer) for answer in answers), by=name)
