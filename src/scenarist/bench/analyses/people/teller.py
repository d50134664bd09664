"""Scripts as priors -> how far a listener recovers what a teller mentions and what it leaves out (Bennett, Appendix: table `teller`).

Two numbers for each teller, rationality, budget and listener, over stories drawn by the exam `teller`: ``recoverability/mentioned``, the
chance that the listener gives to the told event that was taken out (narrative cloze), and ``recoverability/unmentioned``, the chance it
gives to an untold event that it happened, given that it did. ``top1``: is the listener's best guess right? The paper's claim: informative
tellers make mentioned events harder and unmentioned ones easier to recover. Beside them: how unusual a listener takes an obvious event to
be once it is mentioned (Kravtchenko and Demberg 2022), and the rationality that fits cloze answers best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scenarist import __version__
from scenarist.bench.analyses.people.answers import mean_figure
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.errors import BadInput
from scenarist.exams.teller import TellerExam
from scenarist.learning.storyteller.inference import guess_missing, hear, unusual
from scenarist.learning.storyteller.known_scripts import scripts_by_scenario
from scenarist.learning.storyteller.prior import StoryPrior
from scenarist.learning.storyteller.teller import Teller
from scenarist.question import Item, Prediction, Unsaid
from scenarist.registry import make, suggest
from scenarist.script import WrittenScript
from scenarist.signature import content_hash, sign

RATIONALITIES = (0.0, 0.5, 1.0, 2.0, 4.0)
BUDGETS = (1, 2, 3, 4)
STORIES = 60
"""Stories of a script for each teller and budget."""
GRID = tuple(np.round(np.arange(0.0, 8.01, 0.1), 2))
"""Rationalities that are tried when answers are fitted."""
DROP = 1.920729
"""Half the 95 % point of chi-square with one degree of freedom: how far ln P may fall inside the interval."""


class RationalityFit(NamedTuple):
    """The rationality that makes people's answers likeliest, with its profile-likelihood interval of 95 %."""

    value: float
    low: float
    high: float
    logp: float
    answers: int
    at_edge: bool
    """Is an end of the interval the end of what was tried?"""

    @property
    def figure(self) -> Figure:
        """As a figure of a table."""
        return Figure(self.value, self.low, self.high, self.answers)


def table(
    split: str = "dev",  # noqa: ARG001
    seed: int = 13,
    limit: int | None = None,
    corpus: str = "",
    answers: str = "",
) -> Analysis:
    """The table `teller`: the toy scripts, or those of ``corpus`` (``script:NAME`` for one of the library); ``limit``: stories a script.

    ``answers``: a folder with the exam `teller` (ask=mentioned) and people's answers, whose rationality is fitted.
    """
    scripts = chosen_scripts(corpus)
    stories = limit or STORIES
    rows = []
    for rationality in RATIONALITIES:
        for budget in BUDGETS:
            rows += teller_rows(scripts, Teller(rationality, budget), stories, seed)
    fit = fit_rationality(*simulated_cloze(scripts, 2.0, seed))
    rows.append(
        FigureRow(
            "rationality-of-simulated-people",
            "human",
            {"rationality/cloze": fit.figure},
            {"true": 2.0, "note": "cloze answers of simulated listeners to stories of a teller of rationality 2"},
        )
    )
    said = remarks(rows)
    if answers:
        rows += people_fits(Path(answers), said)
    more = {"curves": curves(rows), "unusual": unusual_rows(scripts), "remarks": said}
    data = f"{corpus or 'toy-scripts'}#{content_hash(repr(script).encode() for script in scripts)}"
    return Analysis(
        rows, sign("teller", {"exam": "teller", "data": data, "stories": stories, "seed": seed, "v": __version__}), more
    )


def chosen_scripts(corpus: str) -> list[WrittenScript]:
    """The scripts of a corpus, or one by its name."""
    kind, _, target = corpus.partition(":")
    if kind == "script":
        known = scripts_by_scenario()
        if target not in known:
            raise suggest(target, list(known), "script")
        return [known[target]]
    return list(make("corpus", corpus or "toy-scripts", split="train"))


@lru_cache(maxsize=100_000)
def cloze_chances(prior: StoryPrior, shown: tuple[int, ...], teller: Teller | None) -> dict[int, float]:
    """Which told event was taken out."""
    return guess_missing(prior, shown, teller)


@lru_cache(maxsize=100_000)
def happened_chances(prior: StoryPrior, mentioned: tuple[int, ...], teller: Teller | None) -> tuple[float, ...]:
    """What happened, given a story."""
    return hear(prior, mentioned, teller).chances


def teller_rows(scripts: Sequence[WrittenScript], teller: Teller, stories: int, seed: int) -> list[FigureRow]:
    """Both listeners on the stories of one teller."""
    marks: dict[str, dict[str, list[tuple[str, float, str]]]] = {"literal": {}, "rational": {}}
    for ask in ("mentioned", "unmentioned"):
        exam = TellerExam(ask, teller.rationality, teller.budget, stories, seed)
        for script in scripts:
            prior = prior_of(script)
            for number, (world, question) in enumerate(exam.drawn(prior)):
                name = f"{script.scenario}.{number}"
                for listener, known in (("literal", None), ("rational", teller)):
                    if ask == "mentioned":
                        chances = cloze_chances(prior, tuple(sorted(question.shown)), known)
                        value, right = chances[question.key], {question.key}
                    else:
                        heard = happened_chances(prior, tuple(sorted(question.shown)), known)
                        chances = {event: heard[event] for event in range(len(prior)) if event not in world.mentioned}
                        value, right = (
                            float(np.mean([chances[event] for event in world.unmentioned])),
                            set(world.unmentioned),
                        )
                    best = max(chances.values())
                    top = [event for event, chance in chances.items() if chance > best - 1e-12]
                    part = marks[listener]
                    part.setdefault(f"recoverability/{ask}", []).append((name, value, name))
                    part.setdefault(f"top1/{ask}", []).append(
                        (name, sum(event in right for event in top) / len(top), name)
                    )
    rows = []
    kind = "random" if teller.rationality == 0 else "informative"
    for listener, part in marks.items():
        if not part:
            continue
        scores = {column: mean_figure(values, True, seed) for column, values in part.items()}
        more = {"teller": kind, "rationality": teller.rationality, "budget": teller.budget, "listener": listener}
        rows.append(
            FigureRow(
                f"{kind}-{teller.rationality:g}-budget-{teller.budget}-{listener}",
                "ours" if listener == "rational" else "baseline",
                scores,
                more,
            )
        )
    return rows


@lru_cache(maxsize=512)
def prior_of(script: WrittenScript) -> StoryPrior:
    """A script as a prior."""
    return StoryPrior.of(script)


def curves(rows: Iterable[FigureRow]) -> dict[str, Any]:
    """Recoverability by rationality, a curve for each budget, listener and kind of event: (rationality, value, low, high)."""
    lines: dict[str, list[list[float | None]]] = {}
    for row in rows:
        for column in ("recoverability/mentioned", "recoverability/unmentioned"):
            if (figure := row.scores.get(column)) is not None:
                name = f"{column.partition('/')[2]}/budget-{row.more['budget']}/{row.more['listener']}"
                lines.setdefault(name, []).append([row.more["rationality"], figure.value, figure.low, figure.high])
    return lines


def remarks(rows: Sequence[FigureRow]) -> list[str]:
    """The paper's claim in numbers, at the middle budget."""
    by_name = {row.model: row for row in rows}
    said = []
    for listener in ("literal", "rational"):
        first, last = by_name.get(f"random-0-budget-2-{listener}"), by_name.get(f"informative-4-budget-2-{listener}")
        if first and last:
            steps = [
                f"{kind} {first.scores[f'recoverability/{kind}'].value:.3f} to {last.scores[f'recoverability/{kind}'].value:.3f}"
                for kind in ("mentioned", "unmentioned")
            ]
            said.append(f"From the random teller to rationality 4, budget 2, {listener} listener: {', '.join(steps)}.")
    return said


def unusual_rows(scripts: Iterable[WrittenScript], belief: float = 0.1) -> list[dict[str, Any]]:
    """How unusual the listener takes the likeliest event of each script to be, once it is mentioned alone, by rationality."""
    rows = []
    for script in scripts:
        prior = prior_of(script)
        event = max(range(len(prior)), key=lambda number: (prior.chances[number], -number))
        chances = {
            f"{rationality:g}": unusual(prior, (event,), event, Teller(rationality, 1), belief)
            for rationality in RATIONALITIES
        }
        rows.append({"scenario": script.scenario, "event": prior.names[event], "before": belief, "after": chances})
    return rows


# Fitting


def simulated_cloze(
    scripts: Sequence[WrittenScript], rationality: float, seed: int, budget: int = 3, stories: int = 60
) -> tuple[list[Item], list[Prediction]]:
    """Cloze items of a teller, and the answers of simulated people who draw from a rational listener that knows it."""
    rng = np.random.default_rng(seed)
    items = list(TellerExam("mentioned", rationality, budget, stories, seed).set(scripts))
    answers = []
    for item in items:
        chances = item_chances(item, rationality)
        names = list(chances)
        answers.append(
            Prediction(
                item.id, (guess(str(rng.choice(names, p=np.array([chances[name] for name in names])))),), by="simulated"
            )
        )
    return items, answers


def guess(answer: str) -> Any:
    """An answer as a guess."""
    from scenarist.question import Guess

    return Guess(answer)


def item_chances(item: Item, rationality: float) -> dict[str, float]:
    """What a rational listener answers to a cloze item, by answer."""
    question = item.question
    if not isinstance(question, Unsaid) or question.scenario not in scripts_by_scenario():
        raise BadInput(
            f"{item.id}: rationality is fitted on items of the exam `teller` (ask=mentioned), whose scenario is a known script."
        )
    prior = prior_of(scripts_by_scenario()[question.scenario])
    shown = tuple(sorted(prior.numbers([event.label for event in question.story.events])))
    mentioned = int(question.story.note("told") or len(shown) + 1)
    if mentioned != len(shown) + 1:
        raise BadInput(
            f"{item.id}: rationality is fitted on stories from which one told event was taken out (ask=mentioned)."
        )
    chances = cloze_chances(prior, shown, Teller(rationality, mentioned))
    return {prior.names[event]: chance for event, chance in chances.items()}


def fit_rationality(items: Sequence[Item], answers: Iterable[Prediction]) -> RationalityFit:
    """Maximum likelihood of rationality from cloze answers of any number of people."""
    by_id = {item.id: item for item in items}
    pairs = []
    for answer in answers:
        if answer.item not in by_id:
            raise BadInput(
                f"an answer of {answer.by or 'somebody'} names {answer.item!r}, which is no item of this exam."
            )
        if isinstance(answer.best, str) and answer.best in item_chances(by_id[answer.item], 0.0):
            pairs.append((by_id[answer.item], answer.best))
    if not pairs:
        raise BadInput("rationality cannot be fitted: no answer names an event of its script.")
    logps = np.array(
        [sum(math.log(max(item_chances(item, float(value))[best], 1e-12)) for item, best in pairs) for value in GRID]
    )
    best = int(logps.argmax())
    inside = np.flatnonzero(logps >= logps[best] - DROP)
    low, high = float(GRID[inside[0]]), float(GRID[inside[-1]])
    return RationalityFit(
        float(GRID[best]), low, high, float(logps[best]), len(pairs), low == GRID[0] or high == GRID[-1]
    )


def people_fits(folder: Path, said: list[str]) -> list[FigureRow]:
    """A row for all people together and one for each, from stored answers."""
    rows = []
    for part in read_study_files(folder):
        said += part.remarks
        for name, fit in rationality_of(part.items, part.people).items():
            row = FigureRow("people" if name == "all" else name, "human", {"rationality/cloze": fit.figure})
            if fit.at_edge:
                said.append(
                    f"{row.model}: the interval of rationality ends where the values that were tried end ({GRID[0]:g} to {GRID[-1]:g})."
                )
            rows.append(row)
    return rows


def rationality_of(
    folder_items: Sequence[Item], people: Mapping[str, Sequence[Prediction]]
) -> dict[str, RationalityFit]:
    """The rationality that fits each person, and all of them."""
    everything = [answer for answers in people.values() for answer in answers]
    fits = {name: fit_rationality(folder_items, answers) for name, answers in people.items()} if len(people) > 1 else {}
    return {"all": fit_rationality(folder_items, everything), **fits}
