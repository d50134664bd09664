"""Row x seed -> Solver: the model of a row, made with its settings and weights, fitted on what the table names, and its recorded answers.

``{seed}`` in a row's weights or settings stands for the seed. A seed whose weights were not trained is an error of the row; no other
seed is taken in its place.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from scenarist import __version__
from scenarist.bench.sit import examples_of, read_by
from scenarist.bench.spec import Condition, Held, Row, Source, Table
from scenarist.contracts import Exam, Model, Tuned
from scenarist.errors import BadInput, Missing
from scenarist.noun import to_json
from scenarist.registry import find, make
from scenarist.signature import content_hash
from scenarist.store.predictions import Section

SEED = "{seed}"


def corpus_of(source: Source, split: str, settings: Mapping[str, Any]) -> Iterable[Any]:
    """A corpus by name at a split; ``split`` is passed where the class takes one."""
    corpus: Iterable[Any] = make("corpus", source.corpus, split=source.split or split, **settings)
    return corpus


def settings_of(corpus: object) -> Mapping[str, object]:
    """The parameters of a corpus that is made or cut by parameters (stitched documents), for the signature."""
    settings = getattr(corpus, "settings", None)
    return dict(settings()) if callable(settings) else {}


def takes(target: Callable[..., Any], parameter: str) -> bool:
    """Does a class or function name this parameter?"""
    return parameter in inspect.signature(target).parameters


def learns_from(model: object) -> bool:
    """Does the model learn from what a table names?"""
    return getattr(model, "learns", "nothing") != "nothing"


def weights_hash(read: Sequence[str]) -> str:
    """A short hash of all files that a model reads, from the hashes of each; empty where it reads none."""
    return content_hash([part.encode() for part in read], 6) if read else ""


def model_fields(
    name: str, settings: Mapping[str, Any], model: object, learned: Sequence[str] = (), weights: str | None = None
) -> dict[str, object]:
    """The part of a signature that says who answers: the model, its settings, the hash of its weights, and what it learned from.

    ``learned``: corpora it learns from in this run, beside those that its weights come from.
    """
    before = getattr(model, "trained_on", ())
    corpora = list(dict.fromkeys([*(before if isinstance(before, Sequence) else ()), *learned]))
    kept = {key: value for key, value in settings.items() if key != "weights"}
    read = weights_hash(read_by(model)) if weights is None else weights
    return {
        "model": name, **({"with": kept} if kept else {}), "train": corpora or "none", **({"weights": read} if read else {})
    }  # fmt: skip


class Again:
    """Several corpora one after the other, re-iterable."""

    def __init__(self, corpora: Sequence[Iterable[Any]]) -> None:
        self.corpora = corpora

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self.corpora)


def takes_seed(row: Row) -> bool:
    """Does the model of this row take a seed that the row leaves open?"""
    return "seed" not in row.settings and takes(find("model", row.model), "seed")


def seeds_of(row: Row, table: Table, seed: int | None, split: str = "dev") -> list[int]:
    """The seeds a row is run with: the one asked for, or the table's; the first of these where nothing depends on the seed."""
    seeds = (row.test_seeds or table.test_seeds if split == "test" else []) or row.seeds or table.seeds
    if SEED not in str((row.weights, row.settings)) and not takes_seed(row):
        return list(seeds[:1])
    return list(seeds) if seed is None else [seed]


def with_seed(value: Any, seed: int) -> Any:
    """A setting with the seed put in."""
    if isinstance(value, str):
        return value.replace(SEED, str(seed))
    if isinstance(value, Mapping):
        return {key: with_seed(inner, seed) for key, inner in value.items()}
    return [with_seed(inner, seed) for inner in value] if isinstance(value, list) else value


class Solver:
    """A row of a table under one condition, with one seed."""

    def __init__(self, row: Row, condition: Condition, exam: Exam, seed: int) -> None:
        self.row, self.condition, self.exam, self.seed = row, condition, exam, seed
        self.settings: dict[str, Any] = with_seed(row.settings, seed)
        if row.weights:
            self.settings["weights"] = with_seed(row.weights, seed)
        self.sources = row.train or condition.train

    @property
    def train(self) -> list[str]:
        """What it learns from, as its run and its record name it."""
        return [f"{source.corpus}:{source.split}" for source in self.sources]

    @cached_property
    def model(self) -> Model:
        """The model, made but not fitted."""
        settings = dict(self.settings)
        if takes_seed(self.row):
            settings.setdefault("seed", self.seed)
        model: Model = make("model", self.row.model, **settings)
        return model

    def fitted(self) -> Model:
        """The model when it has learned from what the row or its condition names."""
        model, row = self.model, self.row
        learns = getattr(model, "learns", "nothing")
        if learns == "nothing" or (not self.sources and learns != "examples"):
            return model
        if not self.sources:
            raise BadInput(
                f"row {row.model}: it learns from {learns}, but the table names no training corpus (`train`)."
            )
        corpora = [corpus_of(source, "train", self.chosen) for source in self.sources]
        if learns == "examples":
            return model.fit(list(itertools.chain.from_iterable(examples_of(self.exam, corpus) for corpus in corpora)))
        data = corpora[0] if len(corpora) == 1 else Again(corpora)
        parts = [corpus_of(Source(held.corpus, held.split), "dev", held.settings) for held in self.held]
        if parts and isinstance(model, Tuned):
            return model.fit(data, held=Again(parts))
        return model.fit(data)

    def fitted_once(self, models: dict[bytes, Model]) -> Model:
        """The fitted model; what learned the same under another condition is taken from ``models``."""
        exam = [self.condition.exam, self.condition.settings] if self.model.learns == "examples" else []
        key = to_json([self.settings, self.seed, self.train, self.chosen, self.held, exam])
        if key not in models:
            models[key] = self.fitted()
        return models[key]

    @property
    def chosen(self) -> dict[str, Any]:
        """Settings of the corpora that it learns from."""
        row = self.row
        return row.train_settings if row.train or row.train_settings else self.condition.train_settings

    @property
    def held(self) -> list[Held]:
        """What the model (if it was made) stops or tunes on: what the table names, or the dev part of what it learns from."""
        model: Model | None = vars(self).get("model")
        if model is None or model.learns == "nothing" or not (self.sources and isinstance(model, Tuned) and model.held):
            return []
        return self.condition.held or [Held(source.corpus, settings=self.chosen) for source in self.sources]

    def what(self, fields: Mapping[str, object]) -> dict[str, object]:
        """What exactly is run: the name that its answers are stored under."""
        read, held = read_by(self.model), self.held
        return {
            "model": self.row.model, "settings": self.settings, "seed": self.seed, "v": __version__, "train": self.train,
            **({"train_settings": self.row.train_settings} if self.row.train_settings else {}),
            **({"held": held} if held else {}),
            **({"reads": read} if read else {}),
            **({"candidate": dict(self.model.fields())} if hasattr(self.model, "fields") else {}),
            **{key: value for key, value in fields.items() if key != "limit"},
        }  # fmt: skip

    def signed(self, answered: Section | None) -> dict[str, object]:
        """Which model with which settings and weights, and what it learned from: its part of a signature.

        ``answered``: its recorded answers, where it was answered from them; its weights are then those that made the record.
        """
        model = self.model if answered is None else self.described()
        learned = list(dict.fromkeys(source.corpus for source in self.sources)) if learns_from(model) else []
        fields = model_fields(self.row.model, self.settings, model, learned, self.weights(model, answered))
        return {**fields, **({"from": self.chosen} if learned and self.chosen else {})}

    def described(self) -> object:
        """The class of the model, which says what it learned from, so that a recorded row needs no weights; or the model itself, where
        that depends on its settings (an ensemble)."""
        target: object = find("model", self.row.model)
        if isinstance(getattr(target, "trained_on", ()), Sequence):
            return target
        try:
            return self.model
        except (Missing, ImportError):
            return target

    def weights(self, model: object, answered: Section | None) -> str:
        """A short hash of all that the model reads; the name of its weights where the record of its answers does not say it."""
        if answered is None:
            return weights_hash(read_by(model))
        read = sorted(answered.header.weights.values())
        return weights_hash(read) if read else str(self.settings.get("weights", ""))

    def recorded(self, records: Iterable[Section], split: str) -> Section | None:
        """The recorded answers of this row, condition and seed, made with these settings."""
        for section in records:
            header = section.header
            same = (header.model, header.settings, header.train) == (self.row.model, self.settings, self.train)
            if same and header.place == (split, self.condition.name, self.seed):
                return section
        return None
