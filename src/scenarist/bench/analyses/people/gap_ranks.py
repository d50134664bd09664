"""Bennett's 46 tasks as questions for models -> where each ranks the removed verb, and the verbs that people gave (Bennett, Model
comparison).

The chain without the removed sentence is read by our reader: its commonest entity is the protagonist, whose events are the links of an
EventGap; the same sentences are the story of an Unsaid and the text of a SentenceGap. A model's rank for a task is the best among all
right answers, at most ``CAP`` (the paper's placeholder where nothing is recalled). What counts as right: the removed verb, or any verb
that people gave, or any synonym of either. A rank of a single verb is the best over its roles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scenarist.bench.sit import ask
from scenarist.contracts import Model
from scenarist.corpora.bennett import ChainSentence, Response
from scenarist.exams.gaps import chain_links, sentence_of
from scenarist.question import AnyQuestion, EventGap, Item, Prediction, SentenceGap, Unsaid
from scenarist.reading.wordnet import match, synonyms
from scenarist.registry import make
from scenarist.story import Link, Story

CAP = 100.0
"""The rank that stands for *not recalled*."""
ROLES = ("subj", "obj", "nsubj", "dobj")


class GapTask(NamedTuple):
    """A task of the study, as people saw it and as models are asked."""

    id: str
    document: str
    sentences: tuple[str, ...]
    """The chain without the removed sentence."""
    gap: int
    verb: str
    """The main verb of the removed sentence."""
    responses: frozenset[str]
    """The main verbs that people gave."""
    placed: bool
    """Is the removed sentence in the chain file, so that its place is known? Else the number of the blank is taken for it."""


class TaskRank(NamedTuple):
    """Where a model ranks the right answers of a task."""

    task: str
    document: str
    original: float
    responses: float
    mean_original: float | None = None
    """The mean over all right answers, each at most ``CAP``; None where only the best was asked for."""
    mean_responses: float | None = None


def plain(text: str) -> str:
    """The letters and digits of a text: the study's files differ in spaces and quotation marks."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def written_verb(text: str) -> str:
    """The main verb of a sentence as the study's ``event_only`` column shows it: the word behind the subject.

    >>> written_verb("He put.")
    'put'
    """
    words = text.strip().rstrip(".").lower().split()
    return words[1] if len(words) > 1 else "".join(words)


def study_tasks(rows: Sequence[Response], chains: Iterable[ChainSentence], key: Mapping[str, str]) -> list[GapTask]:
    """The tasks in the order of the file; ``key``: task -> verb of the removed sentence."""
    by_chain: dict[tuple[str, str], list[str]] = {}
    for sentence in chains:
        by_chain.setdefault((sentence.document, sentence.chain), []).append(sentence.original)
    together: dict[str, list[Response]] = {}
    for row in rows:
        together.setdefault(f"{row.document}.{row.chain}.{row.blank}", []).append(row)
    tasks = []
    for name, answers in together.items():
        first = answers[0]
        whole = by_chain.get((first.document, first.chain), [])
        common = Counter(answer.original for answer in answers).most_common(1)[0][0]
        place = next((number for number, text in enumerate(whole) if plain(text) == plain(common)), -1)
        others = tuple(text for number, text in enumerate(whole) if number != place)
        verbs = frozenset(answer.predicate.lower() for answer in answers if answer.predicate)
        gap = place if place >= 0 else min(first.blank, len(others))
        tasks.append(GapTask(name, first.document, others, gap, key[name], verbs, place >= 0))
    return tasks


def protagonist_links(story: Story, sentences: int) -> list[tuple[int, Link]]:
    """The events of the entity that most sentences mention; ties go to the one with more events."""
    best: list[tuple[int, Link]] = []
    widest = (0, 0)
    for entity in story.entities:
        links = chain_links(story, entity)
        spread = len({sentence_of(story, mention.first) for mention in entity.mentions})
        if (spread, len(links)) > widest and spread <= sentences:
            best, widest = links, (spread, len(links))
    return best


class AskedTask(NamedTuple):
    """A task in the forms that models answer."""

    task: GapTask
    questions: tuple[AnyQuestion, ...]

    def form(self, model: Model) -> AnyQuestion | None:
        """The first form that the model answers."""
        return next((question for question in self.questions if isinstance(question, tuple(model.asks))), None)


def asked_tasks(tasks: Sequence[GapTask]) -> list[AskedTask]:
    """The tasks read by our reader, all in one go."""
    asked = []
    stories = make("reader", "default")([" ".join(" ".join(task.sentences).split()) for task in tasks])
    for task, story in zip(tasks, stories, strict=True):
        # the reader may cut a sentence in two: the gap is counted in characters
        before = len(" ".join(" ".join(task.sentences[: task.gap]).split()))
        place = sum(sentence.start < before for sentence in story.sentences)
        links = protagonist_links(story, len(story.sentences))
        gap = sum(number < place for number, _ in links)
        chain = tuple(link for _, link in links)
        sizes = tuple(len(text) for text in task.sentences)
        asked.append(
            AskedTask(
                task,
                (
                    EventGap(chain, gap),
                    Unsaid(msgspec.structs.replace(story, id=task.id), "", place),
                    SentenceGap(task.sentences, task.gap, "full", sizes, chain, gap),
                ),
            )
        )
    return asked


def right_verbs(verbs: Iterable[str]) -> frozenset[str]:
    """Verbs with all their synonyms."""
    return frozenset().union(*(synonyms(verb) for verb in verbs))


def rate_answers(model: Model, question: AnyQuestion, answers: Sequence[str]) -> list[float | None]:
    """The rank that a model gives each of some answers; None where it does not know."""
    rank, many = getattr(model, "rank", None), getattr(model, "rate_many", None)
    if many is not None:
        return [place for _, place in many([question] * len(answers), list(answers))]
    return [rank(question, answer) for answer in answers] if rank is not None else []


def best_rank(model: Model, question: AnyQuestion, prediction: Prediction, verbs: frozenset[str]) -> float:
    """The best rank among some verbs, at most ``CAP``; what the answer does not list is asked of the model."""
    ranks = [CAP]
    listed = [Link.parse(str(guess.answer)).predicate.lower() for guess in prediction.guesses]
    ranks += [float(place) for place, verb in enumerate(listed, start=1) if verb in verbs][:1]
    if len(ranks) == 1:
        answers = [
            f"{verb}:{role}" if role else verb
            for verb in sorted(verbs)
            for role in (ROLES if isinstance(question, EventGap) else ("",))
        ]
        ranks += [known for known in rate_answers(model, question, answers) if known is not None]
    return min(ranks)


class ModelAnswers(NamedTuple):
    """What a model says to the tasks."""

    ranks: list[TaskRank]
    predictions: dict[str, Prediction]
    """By task."""


def model_answers(model: Model, asked: Sequence[AskedTask]) -> ModelAnswers:
    """A fitted model's answers to all tasks that it can be asked, and its ranks there."""
    forms = [(entry.task, form) for entry in asked if (form := entry.form(model)) is not None]
    predictions = ask(model, [Item(task.id, form, task.verb, task.document) for task, form in forms])
    ranks = [
        TaskRank(
            task.id, task.document, best_rank(model, form, prediction, right_verbs([task.verb])),
            best_rank(model, form, prediction, right_verbs(task.responses)),
        )
        for (task, form), prediction in zip(forms, predictions, strict=True)
    ]  # fmt: skip
    return ModelAnswers(ranks, {task.id: given for (task, _), given in zip(forms, predictions, strict=True)})


def is_key_of(task: GapTask, verb: str) -> bool:
    """Is a verb the removed one, or a synonym of it?"""
    return match(verb, task.verb)
