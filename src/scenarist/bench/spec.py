"""tables/*.toml -> Table: which corpus, exam, models, metrics and seeds make a published table, with its numbers."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec

from scenarist.errors import BadInput
from scenarist.noun import Noun
from scenarist.pages.numbers import NumberForm
from scenarist.registry import suggest

ROLES = ("published", "baseline", "ours", "human")


class Source(Noun, frozen=True):
    """A corpus and a split of it, as a table names it."""

    corpus: str
    split: str = ""
    """Empty: the split of the table's run."""


class Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a corpus that a model stops or tunes on."""

    corpus: str
    split: str = "dev"
    settings: dict[str, Any] = {}


class Condition(msgspec.Struct, forbid_unknown_fields=True):
    """A group of columns: an exam on a corpus, with its metrics."""

    name: str
    corpus: str
    exam: str
    metrics: list[str]
    settings: dict[str, Any] = {}
    corpus_settings: dict[str, Any] = {}
    test: dict[str, Any] = {}
    """Settings of the corpus that are others on the test split (fewer documents, where every answer is asked live)."""
    train: list[Source] = []
    train_settings: dict[str, Any] = {}
    held: list[Held] = []
    """What models that ask for it stop or tune on; where empty the table's, and without that the dev part of what they learn from."""
    note: str = ""
    blind: str = ""
    """The condition that asks the same items without the premise: a row's gain is over its own figure there, and over the audit's rows."""
    candidates: Literal["story", "choices", "no"] = "story"
    """What a model at an address (``--model``) is shown here; ``no``: it does not sit the exam under this condition."""


class Row(msgspec.Struct, forbid_unknown_fields=True):
    """A solver, or a published figure."""

    model: str
    role: Literal["published", "baseline", "ours", "human"] = "ours"
    label: str = ""
    settings: dict[str, Any] = {}
    weights: str = ""
    """The weights by name, handed to the model as its setting of that name; ``{seed}`` stands for the seed, here and in ``settings``."""
    recorded: str = ""
    """The command that makes the answers anew: they are taken from `results/predictions` where they were recorded."""
    train: list[Source] = []
    train_settings: dict[str, Any] = {}
    """With one of these two, the condition's own training data and their settings are not looked at."""
    seeds: list[int] = []
    test_seeds: list[int] = []
    """Seeds on the test split, where every answer is asked live; the table's where empty."""
    test_items: int = 0
    """On the test split about so many items of a condition, whole texts drawn evenly (`part_of`): for a row that would take hours live. Its
    signature says how many."""
    splits: list[str] = []
    """Splits on which it is run; all where empty."""
    only: list[str] = []
    signed: dict[str, Any] = {}
    """Fields of the exam that differ for this solver, e.g. that it does not see the story: the signature of its figures says so."""
    answers: str = ""
    """For a published row: ``module:function`` that takes the row's model and gives a function from Item to what was answered (or None)."""
    scores: dict[str, Any] = {}
    """Published numbers by ``metric/condition``, or by split and then so."""
    note: str = ""
    reference: str = ""
    """The row that this one is compared with; the table's own where empty."""
    audit: bool = False
    """It knows the form of the choices alone (position, length, frequency): gains are over the best of these."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self.label or self.model

    def runs_on(self, split: str) -> bool:
        """Is it run on this split?"""
        return not self.splits or split in self.splits

    def published(self, split: str) -> dict[str, float]:
        """The figures of a published row. Where it gives them by split: those of the split that is run; figures of another split alone
        stand in columns of their own that name it (`accuracy/labelled-test`), never among ours."""
        if not any(isinstance(value, dict) for value in self.scores.values()):
            return dict(self.scores)
        if self.scores.get(split):
            return dict(self.scores[split])
        return {
            f"{column}-{other}": value for other, figures in self.scores.items() for column, value in figures.items()
        }


def told_apart(rows: Sequence[Row]) -> list[Row]:
    """Published rows end in ``-published`` where a row of ours has the same name, so that ``--only`` can tell them apart."""
    ours = {row.name for row in rows if row.role != "published"}
    return [
        msgspec.structs.replace(row, label=f"{row.name}-published")
        if row.role == "published" and row.name in ours
        else row
        for row in rows
    ]


class Table(msgspec.Struct, forbid_unknown_fields=True):
    """One published table, or one of our own."""

    name: str
    title: str
    paper: str = ""
    kind: Literal["exam", "analysis"] = "exam"
    run: str = ""
    """For an analysis: ``module:function`` taking (split, seed, limit)."""
    page: str = ""
    """For an analysis: ``module:function`` that draws its JSON as a page; the plain table where empty."""
    seeds: list[int] = msgspec.field(default_factory=lambda: [13])
    test_seeds: list[int] = []
    """Seeds on the test split, for rows that name none; all where empty."""
    condition: list[Condition] = []
    held: list[Held] = []
    row: list[Row] = []
    reference: str = ""
    """The row others are compared with; the best baseline where empty."""
    percent: bool = True
    """Print proportions as percentages, as the paper does."""
    digits: int = 1
    plain: list[str] = []
    """Names (or patterns: ``count_*``) of an analysis's own columns that are no proportions; a metric says so itself."""
    note: str = ""
    experiment: bool = False
    """Found in ``experiments/``: a side investigation, no table of a paper (set on loading)."""

    def numbers(self) -> NumberForm:
        """How its figures are printed."""
        return NumberForm(self.percent, self.digits, tuple(self.plain))


CHECKOUT = Path(__file__).parents[3]
"""The repository, where the package runs from a checkout; in an installed wheel there is no ``experiments`` here."""


def folders() -> list[Path]:
    """Where tables are looked for: the package, then the investigations of a checkout (``experiments/*``)."""
    package = Path(str(files("scenarist.bench"))) / "tables"
    if not (CHECKOUT / "pyproject.toml").exists():
        return [package]
    return [package, *sorted(path for path in (CHECKOUT / "experiments").glob("*") if path.is_dir())]


def paths() -> dict[str, Path]:
    """The names of all tables with their files."""
    known: dict[str, Path] = {}
    for folder in folders():
        for path in sorted(folder.glob("*.toml")):
            known.setdefault(path.stem, path)
    return dict(sorted(known.items()))


def names() -> list[str]:
    """The names of all tables."""
    return list(paths())


def load(name: str) -> Table:
    """A table by name, or from a TOML file of the user's own."""
    path = Path(name) if name.endswith(".toml") else paths().get(name)
    if path is None:
        raise suggest(name, names(), "table")
    if not path.exists():
        raise BadInput(f"There is no file {name}.")
    try:
        table = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Table)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: not a valid table: {error}") from error
    if table.kind == "exam" and not table.condition:
        raise BadInput(f"{path}: an exam table needs at least one [[condition]].")
    table.row = told_apart(table.row)
    for condition in table.condition:
        condition.held = condition.held or table.held
    table.experiment = CHECKOUT / "experiments" in path.resolve().parents
    if table.experiment and str(CHECKOUT) not in sys.path:
        sys.path.append(str(CHECKOUT))  # what it names (`run`, `page`, a model) is `experiments.NAME.module:object`
    return table
