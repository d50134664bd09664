"""COLD (Joshi et al. 2024) -> ColdItem: which of two events is a cause, or an effect, of a third within an everyday activity?

Two sets: ``sampled`` items and the ``hard`` ones, whose choices are close in time. A file holds one activity; the three at hand are dev,
all other activities are test, wherever on the search path they lie. ``published_answers`` gives what the authors published of ten
language models on the hard set: the logits of A and B for every item.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias

from scenarist.corpora import search_path
from scenarist.corpora.loader import Loader
from scenarist.errors import BadInput
from scenarist.formats.table import TableRow, rows
from scenarist.noun import Noun
from scenarist.question import Choice, Guess, Item, Prediction

DEV = ("baking a cake", "going on a train", "planting a tree")
"""The activities at hand. Those held out are any others."""
SETS = ("hard", "sampled")
COLUMNS = ("premise", "choice1", "choice2", "label", "question")
RELATIONS = ("cause", "effect")
ANSWERS = "published-answers.csv"

ColdKey: TypeAlias = tuple[str, str, str, str, str]
"""Activity, relation, premise and the two choices: what tells an item from all others."""


class ColdItem(Noun, frozen=True):
    """A premise, two choices, one of which is its cause or effect."""

    id: str
    activity: str
    relation: str
    premise: str
    choices: tuple[str, str]
    answer: int
    source: str = ""

    @property
    def key(self) -> ColdKey:
        """What tells the item from all others."""
        return self.activity, self.relation, self.premise, *self.choices


class Cold(Loader[ColdItem]):
    """Causal questions on everyday activities."""

    name = "cold"
    files: ClassVar[Mapping[str, tuple[str, ...]]] = {"dev": SETS, "test": SETS}

    def __init__(self, split: str = "dev", form: str = "hard", path: str | Path | None = None) -> None:
        super().__init__(split, path)
        if form not in SETS:
            raise BadInput(f"cold: `form` is one of {', '.join(SETS)}, not {form!r}.")
        self.form = form

    def settings(self) -> Mapping[str, object]:
        return {"set": self.form}

    @property
    def cut(self) -> bool:
        return False

    def activities(self) -> dict[str, Path]:
        """The activities of the split with their files; of two files of one name the first on the search path counts."""
        if self.path is not None:
            return {activity_of(file): file for file in files_of(super().file())}
        files: dict[str, Path] = {}
        for folder in search_path.folders(self.name):
            for file in files_of(folder / self.form):
                files.setdefault(activity_of(file), file)
        if self.split == "train":
            raise BadInput("cold has no train split; it has dev and test. No model may learn from its items.")
        if self.split != "all":
            files = {name: file for name, file in files.items() if (name in DEV) == (self.split == "dev")}
        return dict(sorted(files.items()))

    def file(self) -> Path:
        """The file of the first activity: what an error about an empty corpus names."""
        activities = self.activities()
        if not activities:
            why = (
                f"No activity of the {self.split} split of cold is at hand."
                if search_path.locate(self.name, *SETS)
                else ""
            )
            raise search_path.missing(self.name, (f"{self.form}/ACTIVITY.csv.gz",), why)
        return next(iter(activities.values()))

    def read(self, path: Path) -> Iterator[ColdItem]:
        for activity, file in self.activities().items():
            for number, row in enumerate(rows(file, COLUMNS), start=1):
                yield item_of(row, f"{activity}/{self.form}/{number}", activity, self.source)


def files_of(folder: Path) -> list[Path]:
    """The tables of a folder, or the one file."""
    if folder.is_file():
        return [folder]
    return sorted(file for file in folder.glob("*.csv*")) if folder.is_dir() else []


def activity_of(file: Path) -> str:
    """The activity that a file is about.

    >>> activity_of(Path("hard/going on a train.csv.gz"))
    'going on a train'
    """
    return file.name.partition(".csv")[0].replace("_", " ").strip().lower()


def item_of(row: TableRow, id: str, activity: str, source: str) -> ColdItem:
    """A row as an item; what is wrong names file, line and column."""
    premise, *choices = (row[column].strip() for column in COLUMNS[:3])
    relation = row["question"].strip().lower()
    if relation not in RELATIONS:
        raise BadInput(f"{row.where}: column 'question' must be cause or effect, not {row['question']!r}")
    if row["label"].strip() not in ("0", "1"):
        raise BadInput(f"{row.where}: column 'label' must be 0 or 1, not {row['label']!r}")
    if not (premise and all(choices)):
        raise BadInput(f"{row.where}: an empty event; expected a premise and two choices")
    return ColdItem(id, activity, relation, premise, (choices[0], choices[1]), int(row["label"]), source)


class AnswerLogits(NamedTuple):
    """What a published model gave the two letters."""

    first: float
    second: float


def published_answers(model: str) -> dict[ColdKey, AnswerLogits]:
    """The published logits of a language model, of all files on the search path."""
    answers: dict[ColdKey, AnswerLogits] = {}
    for folder in search_path.folders("cold"):
        for variant in search_path.variants(ANSWERS):
            if (folder / variant).is_file():
                for row in rows(
                    folder / variant, ("model", "activity", "question", "premise", "a", "b", "logit_a", "logit_b")
                ):
                    if row["model"].strip().lower() == model:
                        answers.setdefault(
                            answer_key(row), AnswerLogits(number(row, "logit_a"), number(row, "logit_b"))
                        )
                break
    return answers


def published_predictions(model: str) -> Callable[[Item], Prediction | None]:
    """What a published model answered to an item: its two logits as probabilities; None where it was not asked."""
    answers = published_answers(model)

    def answer(item: Item) -> Prediction | None:
        question = item.question
        if not isinstance(question, Choice) or len(question.context) != 1 or len(question.choices) != 2:
            return None
        logits = answers.get((question.scenario, question.relation, question.context[0], *question.choices))
        if logits is None:
            return None
        total = max(logits) + math.log(math.fsum(math.exp(logit - max(logits)) for logit in logits))
        order = sorted(range(2), key=lambda index: -logits[index])
        guesses = tuple(Guess(str(index), min(0.0, logits[index] - total)) for index in order)
        return Prediction(item.id, guesses, by=model, rest=0.0)

    return answer


def answer_key(row: TableRow) -> ColdKey:
    """The item that a published answer is of."""
    premise, first, second = (row[column].strip() for column in ("premise", "a", "b"))
    return row["activity"].strip().lower(), row["question"].strip().lower(), premise, first, second


def number(row: TableRow, column: str) -> float:
    """A finite number in a column."""
    try:
        value = float(row[column])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{row.where}: column {column!r} must be a number, not {row[column]!r}")
    return value
