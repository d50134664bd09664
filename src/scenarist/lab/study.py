"""A TOML file -> Study: what is asked of whom. The file's hash is the study's version.

``lab/studies/*.toml`` are found by name, others by their path. A started study is frozen: its text lies in the database, and a changed
file is a new version beside it. What is wrong with a file is said before anything starts: an unknown page kind, a key that two things
want, a step without what its kind needs.
"""

from __future__ import annotations

import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from scenarist.errors import BadInput
from scenarist.noun import Noun
from scenarist.question import Answer, AnyQuestion
from scenarist.registry import suggest

FOLDER = Path(__file__).parent / "studies"
PHASES = ("instructions", "practice", "check", "qualification", "attention", "trial", "questions")
RESUME = ("always", "day", "never")
TRIALS = "trials"
OUTCOMES = ("complete", "failed", "screened")


class ItemSource(Noun, frozen=True):
    """Where the items come from: ``make`` is a name of `lab/sources.py`, the rest its settings."""

    make: str = "none"
    corpus: str = ""
    split: str = ""
    study: str = ""
    """The study whose answers are asked about."""
    texts: tuple[str, ...] = ()
    """What is asked about, where it stands in the file itself: captions, activities."""
    documents: int = 0
    limit: int = 0
    settings: tuple[tuple[str, str | int | float], ...] = ()

    @property
    def switches(self) -> dict[str, Any]:
        """The settings by name."""
        return dict(self.settings)


class Draw(Noun, frozen=True):
    """Who gets which items."""

    number: int = 0
    """Items a person; 0 for all."""
    a_family: int = 1
    """Items of one document at most; 0 for any number."""
    people: int = 0
    """People an item; 0 for no limit. With a number, items are shared out, least answered first."""
    pool: int = 0
    """With a fixed pool of so many people, every set of ``people`` of them shares the same number of items (Wanzare, Table 2)."""
    more: bool = True
    """Where all items have their people: give them out again, instead of turning people away."""


class PeopleRules(Noun, frozen=True):
    """How many are wanted, and when they may come back."""

    quota: int = 0
    """Complete people wanted in each condition; 0 for no end."""
    resume: str = "always"
    active_minutes: int = 60
    """Who has not been seen for so long counts as gone: their place and their items are given to others."""
    hourly: float = 0.0
    """Pay an hour, for the consent page and the methods paragraph; the currency is in ``pay``."""
    pay: str = ""
    own_minutes: float = 0.0
    """How long the experimenters themselves took."""
    slower: float = 1.5
    """How much longer others take (Bisk et al. 2019: 1.5)."""

    @property
    def fee(self) -> float:
        """Pay for the whole study: hourly rate x the experimenters' own time x how much longer others take; 0 where it is not given.

        >>> PeopleRules(hourly=15.0, own_minutes=10.0).fee
        3.75
        """
        return round(self.hourly * self.own_minutes / 60 * self.slower, 2)


class ReviewRules(Noun, frozen=True):
    """What a reviewer does before an answer counts."""

    needed: bool = False
    """An answer goes into a corpus, and to the studies that ask about it, only when a reviewer approved it."""


class StudyStep(Noun, frozen=True):
    """A page beside the trials: instructions, practice, a check, closing questions. ``kind = "trials"`` is where the drawn items stand."""

    kind: str
    phase: str = "instructions"
    title: str = ""
    text: str = ""
    question: AnyQuestion | None = None
    right: tuple[str, ...] = ()
    """Answers that pass, of a practice, check, qualification or attention step."""
    feedback: str = ""
    tries: int = 2
    """How often a check may be tried before the session ends as *failed*."""
    after: int = 0
    """An attention step stands after so many trials."""
    settings: tuple[tuple[str, str | int | float], ...] = ()


class Study(Noun, frozen=True):
    """A study as its file has it."""

    name: str
    title: str
    kind: str
    text: str = ""
    """The file itself."""
    paper: str = ""
    minutes: int = 10
    conditions: tuple[str, ...] = ("all",)
    source: ItemSource = ItemSource()
    draw: Draw = Draw()
    people: PeopleRules = PeopleRules()
    consent: str = ""
    contact: str = ""
    debriefing: str = ""
    guidelines: str = ""
    steps: tuple[StudyStep, ...] = ()
    codes: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str | int | float], ...] = ()
    qualify: float = 0.0
    """Share of qualification steps that must be right; who has less is *screened*."""
    review: ReviewRules = ReviewRules()
    gives: str = ""
    """The corpus that `scenarist corpus from-study` makes of its answers: a name of `lab/yields`."""
    seed: int = 13

    @property
    def version(self) -> str:
        """The hash of the file."""
        return sha256(self.text.encode()).hexdigest()[:16]

    @property
    def switches(self) -> dict[str, Any]:
        """The settings of the page kind by name."""
        return dict(self.settings)

    def settings_of(self, step: StudyStep | None) -> dict[str, Any]:
        """The settings of a page: the study's on a trial; on a step of the same kind (an example to try) the step's own above them."""
        if step is None:
            return self.switches
        return (self.switches if step.kind == self.kind else {}) | dict(step.settings)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every page kind that occurs."""
        return tuple(dict.fromkeys([self.kind, *(step.kind for step in self.steps if step.kind != TRIALS)]))


def study_names() -> list[str]:
    """The studies that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_study(name: str, corpus: str = "") -> Study:
    """A study by name or path; ``corpus`` takes the place of the file's (and makes another version).

    >>> load_study("fill-gap").conditions
    ('full', 'caveman', 'verb-subject')
    """
    path = FOLDER / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
        if not path.is_file():
            if name.endswith(".toml"):
                raise BadInput(f"{name}: there is no such file.")
            raise suggest(name, study_names(), "study")
    text = path.read_text("utf-8")
    if corpus:
        text += f'\n[override]\ncorpus = "{corpus}"\n'.replace("\\", "\\\\")
    return parse_study(text, str(path))


def parse_study(text: str, where: str = "study") -> Study:
    """A study from its text, checked."""
    from scenarist.lab.kinds import KINDS

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{where}: not TOML: {error}") from error
    override = data.pop("override", {})
    if override:
        data.setdefault("source", {}).update(override)
    tables: list[Any] = [data, data.get("source"), *data.get("steps", ())]
    for table in tables:
        if isinstance(table, dict) and isinstance(table.get("settings"), dict):
            table["settings"] = [(name, value) for name, value in table["settings"].items()]
    if isinstance(data.get("codes"), dict):
        data["codes"] = list(data["codes"].items())
    try:
        study = msgspec.convert({**data, "text": text}, Study)
    except (msgspec.ValidationError, TypeError) as error:
        raise BadInput(f"{where}: {error}") from error
    for kind in study.kinds:
        if kind not in KINDS:
            raise BadInput(f"{where}: {suggest(kind, list(KINDS), 'page kind')}")
    check_study(study, where)
    return study


def check_study(study: Study, where: str) -> None:
    """What a file can say wrongly although its shape is right."""
    from scenarist.lab.kinds import page_kind
    from scenarist.lab.sources import SOURCES
    from scenarist.lab.yields import YIELDS

    if study.gives and study.gives not in YIELDS:
        raise BadInput(f"{where}: {suggest(study.gives, list(YIELDS), 'corpus that a study gives')}")
    if study.source.make not in SOURCES:
        raise BadInput(f"{where}: {suggest(study.source.make, list(SOURCES), 'source of items')}")
    if study.people.resume not in RESUME:
        raise BadInput(f"{where}: {suggest(study.people.resume, list(RESUME), 'rule for resume')}")
    if not study.conditions or len(set(study.conditions)) < len(study.conditions):
        raise BadInput(f"{where}: conditions must be named once each, got {list(study.conditions)}.")
    wrong = [name for name, _ in study.codes if name not in OUTCOMES]
    if wrong:
        raise BadInput(f"{where}: {suggest(wrong[0], list(OUTCOMES), 'outcome of a code')}")
    for number, step in enumerate(study.steps, start=1):
        if step.phase not in PHASES:
            raise BadInput(f"{where}: step {number}: {suggest(step.phase, list(PHASES), 'phase')}")
        if step.kind != TRIALS and page_kind(step.kind).asks and step.question is None:
            raise BadInput(f"{where}: step {number}: the page kind {step.kind!r} needs a question.")
        if step.phase in ("check", "qualification") and not step.right:
            raise BadInput(f"{where}: step {number}: a {step.phase} needs `right`, the answers that pass.")
    if study.source.make != "none" and not any(step.kind == TRIALS for step in study.steps):
        raise BadInput(f'{where}: no step of kind "trials": the items would never be shown.')
    for name in study.kinds:
        pressed: dict[str, str] = {"?": "the list of keys"}
        for key, meaning in page_kind(name).hotkeys(study.switches):
            if key in pressed:
                raise BadInput(f"{where}: {name}: the key {key!r} is wanted twice: {pressed[key]!r} and {meaning!r}.")
            pressed[key] = meaning


def right_answer(step: StudyStep, answer: Answer) -> bool:
    """Does an answer pass a step?"""
    return not step.right or (
        isinstance(answer, str) and answer.strip().lower() in {text.lower() for text in step.right}
    )
