"""Scripts x what people wrote of the same activities -> how much of it they cover, and whether they order it as people do: table `scripts`.

- ``covered/descript``: events of DeScript's gold paraphrase sets that the script has. An event is a set of descriptions; it is covered
where half of them or more tell one and the same event of the script. Sets that annotators marked as no event of the script are left out.
- ``order/descript``: pairs of steps of held-out sequences (DeScript dev) that tell two events of the script: the share that stand in its
  order; a pair that it leaves open counts one half. ``recognised/descript``: the share of the steps that tell an event of it.
- ``order_f1/proscript``: edges of proScript's partial orders (Sakaguchi et al. 2021), the goal as the last event; precision and recall over
  all edges. Rows but the last give a line, the exact best order of the pairwise log-odds. ``pairs/proscript``: pairs that the gold order
  decides.

The rows hold what a script is made of: written by hand; learned from stories (MCScript, InScript; for DeScript's scenarios never DeScript);
both. proScript's activities have no script of their own: the scripts of all others vote by the events that resemble its steps.
``ordered-pairs`` is a classifier of pairs trained on proScript's train part, with those votes among what it sees. ``step-reader`` (extra
`lm`) is SmolLM2 with an adapter trained on the same part, after lists and stories; it reads all steps at once and gives edges.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy.typing as npt

from scenarist import __version__, inventory
from scenarist.bench import marks as scoring
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.contracts import Totals
from scenarist.corpora.descript import gold
from scenarist.errors import Missing
from scenarist.learning.library.evidence import LibraryScript, library_scripts
from scenarist.learning.library.orders import (
    OrderedScript,
    ScriptLibrary,
    join,
    learned_order,
    library_order,
    written_order,
)
from scenarist.learning.library.pair_orders import Array, PairOrders, StepOrder
from scenarist.learning.library.step_edges import Edges, edges_of, line_edges
from scenarist.learning.library.wordings import Clause
from scenarist.learning.scripts import carried, script
from scenarist.metrics.base import count, divide
from scenarist.networks.step_reader import carried_odds
from scenarist.question import Item, Mark, Prediction
from scenarist.registry import make
from scenarist.script import Script
from scenarist.signature import content_hash, sign
from scenarist.story import Story

NO_EVENT = ("UnrelEv", "RelNScrEv")
"""Gold sets that are no event of the script; so are those called ``other_...``."""
ROWS = ("another-script", "written", "learned", "both", "ordered-pairs", "step-reader")
HALF = 0.5
FOLLOWS = 0.3
"""The chance from which on a step is said to follow another directly (chosen on a tenth of proScript's train part)."""


class Share:
    """Right ones of all."""

    higher = True
    proportion = True

    def __init__(self, name: str) -> None:
        self.name = name

    def settings(self) -> Mapping[str, object]:
        return {"enough": HALF} if self.name == "covered" else {"open": HALF} if self.name == "order" else {}

    def mark(self, item: Item, prediction: Prediction | None) -> Mapping[str, float]:
        """Marks are made by the functions below: a script is asked, no question is answered."""
        raise NotImplementedError

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        return divide(count(totals, "right"), count(totals, "n"))


class EdgeF1(Share):
    """Twice the right edges over those given and those sought."""

    def settings(self) -> Mapping[str, object]:
        return {"edges": "gold_edges", "start": "left-out", "average": "micro"}

    def combine(self, totals: Totals) -> npt.NDArray[Any]:
        return divide(2 * count(totals, "right"), count(totals, "given") + count(totals, "sought"))


class GoldEvent(NamedTuple):
    """An event of DeScript's gold sets."""

    scenario: str
    event: str
    clauses: tuple[Clause, ...]


class Sequence_(NamedTuple):
    """A held-out list of steps."""

    id: str
    scenario: str
    clauses: tuple[Clause, ...]


def canonical(scenario: str) -> str:
    """The inventory's name of a scenario, or the given one."""
    return inventory.find(scenario).name if inventory.known(scenario) else scenario


def gold_events() -> list[GoldEvent]:
    """The events of the gold sets, the two parts of the annotation joined."""
    joined: dict[tuple[str, str], list[Clause]] = defaultdict(list)
    for group in gold():
        if group.event not in NO_EVENT and not group.event.startswith("other_"):
            joined[canonical(group.scenario), group.event] += [Clause.of(item.text) for item in group.items]
    return [GoldEvent(scenario, event, tuple(clauses)) for (scenario, event), clauses in joined.items()]


def sequences(split: str) -> list[Sequence_]:
    """DeScript's held-out sequences."""
    stories = make("corpus", "descript", split=split)
    return [
        Sequence_(story.id, canonical(story.scenario), tuple(Clause.of(story.of(span)) for span in story.sentences))
        for story in stories
    ]


def learned_scripts(scenarios: Iterable[str]) -> dict[str, Script]:
    """Scripts of some scenarios from the train stories of MCScript and InScript alone, through our own reader."""
    wanted, stories = frozenset(scenarios), defaultdict[str, list[Story]](list)
    read = make("reader", "default")
    for corpus in ("mcscript", "inscript"):
        chosen = [story for story in make("corpus", corpus, split="train") if canonical(story.scenario) in wanted]
        for story, reading in zip(chosen, read([story.text for story in chosen]), strict=True):
            stories[canonical(story.scenario)].append(reading)
    return {name: script(name, told, "MCScript and InScript train") for name, told in sorted(stories.items())}


def covered_marks(events: Sequence[GoldEvent], scripts: Mapping[str, OrderedScript]) -> list[Mark]:
    """One mark a gold event."""
    marks = []
    for event in events:
        ordered = scripts.get(event.scenario)
        told = Counter(number for number in ordered.events_of(event.clauses) if number is not None) if ordered else {}
        right = max(told.values(), default=0) >= HALF * len(event.clauses)
        marks.append(
            Mark(
                f"{event.scenario}/{event.event}",
                (("right", float(right)), ("n", 1.0)),
                f"{event.scenario}/{event.event}",
            )
        )
    return marks


def order_marks(told: Sequence[Sequence_], scripts: Mapping[str, OrderedScript]) -> tuple[list[Mark], list[Mark]]:
    """Marks of the order and of what is recognised, one a sequence."""
    order, recognised = [], []
    for sequence in told:
        ordered = scripts.get(sequence.scenario)
        events = ordered.events_of(sequence.clauses) if ordered else [None] * len(sequence.clauses)
        known = [event for event in events if event is not None]
        right = pairs = 0.0
        if ordered:
            for place, first in enumerate(known):
                for second in known[place + 1 :]:
                    if first != second:
                        before = ordered.before[first, second]
                        right += 0.5 if abs(before - 0.5) < 1e-9 else float(before > 0.5)
                        pairs += 1
        order.append(Mark(sequence.id, (("right", right), ("n", pairs)), sequence.id))
        recognised.append(Mark(sequence.id, (("right", float(len(known))), ("n", float(len(events)))), sequence.id))
    return order, recognised


def edge_marks(orders: Sequence[StepOrder], answers: Sequence[tuple[Array, Edges]]) -> tuple[list[Mark], list[Mark]]:
    """Marks of the edges and of the pairs, one a script; answers: the log-odds of each pair, and the edges."""
    edges, pairs = [], []
    for order, (ahead, given) in zip(orders, answers, strict=True):
        sought = order.edges
        counts = (("right", float(len(given & sought))), ("given", float(len(given))), ("sought", float(len(sought))))
        edges.append(Mark(order.id, counts, order.id))
        decided = order.pairs()
        right = sum(0.5 if ahead[a, b] == 0 else float(ahead[a, b] > 0) for a, b in decided)
        pairs.append(Mark(order.id, (("right", float(right)), ("n", float(len(decided)))), order.id))
    return edges, pairs


def read_steps(order: StepOrder) -> tuple[Array, Edges]:
    """The answer of the network that reads all steps."""
    before, follows = carried_odds(order.scenario, order.texts)
    return before.astype(float), edges_of(before, follows, FOLLOWS)


def table(split: str = "dev", seed: int = 13, limit: int | None = None, only: Sequence[str] = ()) -> Analysis:
    """The table `scripts`."""
    chosen = [row for row in ROWS if not only or row in only]
    rows = {name: FigureRow(name, "baseline" if name == "another-script" else "ours", {}) for name in chosen}
    library, remarks, data = library_scripts(), list[str](), list[str]()
    fields = {"split": split, "library": len(library), **({"limit": limit} if limit else {})}

    def put(row: str, metric: Share, condition: str, marks: Sequence[Mark], train: str) -> None:
        if marks and any(dict(mark.counts).get("n", 1.0) for mark in marks):
            said = {"model": row, "exam": "scripts", **fields, "data": data[-1], "train": train}
            score = scoring.score_marks(metric, marks, said)
            rows[row].scores[f"{metric.name}/{condition}"] = Figure.of(score)

    try:
        told = sequences(split)[:limit]
        events = gold_events()[:limit]
    except Missing as error:
        remarks.append(f"not set: descript. {error}")
    else:
        data.append(
            f"descript#{content_hash(' '.join(clause.words).encode() for one in told for clause in one.clauses)}"
        )
        on_descript(chosen, events, told, library, put)
    try:
        orders = [order for one in make("corpus", "proscript", split=split) if (order := StepOrder.of(one))][:limit]
    except Missing as error:
        remarks.append(f"not set: proscript. {error}")
    else:
        data.append(f"proscript#{content_hash(one.scenario.encode() for one in orders)}")
        on_proscript(chosen, orders, library, put, seed, remarks)
    if not data:
        raise Missing(" ".join(remarks))
    what = {"exam": "scripts", "data": data, **fields, "seed": seed, "v": __version__}
    return Analysis(list(rows.values()), sign("scripts", what), {"remarks": remarks} if remarks else {})


def on_descript(
    chosen: Sequence[str],
    events: Sequence[GoldEvent],
    told: Sequence[Sequence_],
    library: Mapping[str, LibraryScript],
    put: Callable[[str, Share, str, Sequence[Mark], str], None],
) -> None:
    """Coverage and order, row by row; DeScript's own counts are never used."""
    scenarios = sorted({event.scenario for event in events} | {sequence.scenario for sequence in told})
    known = [name for name in scenarios if name in library]
    learned = (
        {name: learned_order(one) for name, one in learned_scripts(scenarios).items()}
        if {"learned", "both"} & set(chosen)
        else {}
    )
    train = "mcscript,inscript,rocstories"
    for row in chosen:
        if row == "another-script":  # what matching finds where nothing is to be found
            turned = dict(zip(known, [*known[1:], *known[:1]], strict=True))
            scripts = {
                name: OrderedScript(library[other].script, written_order(library[other].script))
                for name, other in turned.items()
            }
        elif row == "written":
            scripts = {name: OrderedScript(library[name].script, written_order(library[name].script)) for name in known}
        elif row == "learned":
            scripts = learned
        elif row == "both":
            scripts = {name: library_order(library[name].script, library[name].evidence, lists=False) for name in known}
            scripts |= {name: join(scripts[name], one) if name in scripts else one for name, one in learned.items()}
        else:
            continue
        put(
            row,
            Share("covered"),
            "descript",
            covered_marks(events, scripts),
            train if row in ("learned", "both") else "none",
        )
        order, recognised = order_marks(told, scripts)
        put(row, Share("order"), "descript", order, train if row in ("learned", "both") else "none")
        put(row, Share("recognised"), "descript", recognised, train if row in ("learned", "both") else "none")


def on_proscript(
    chosen: Sequence[str],
    orders: Sequence[StepOrder],
    library: Mapping[str, LibraryScript],
    put: Callable[[str, Share, str, Sequence[Mark], str], None],
    seed: int,
    remarks: list[str],
) -> None:
    """The order of proScript's steps, row by row."""
    written = ScriptLibrary(
        {name: OrderedScript(one.script, written_order(one.script)) for name, one in library.items()}
    )
    learned = ScriptLibrary({name: learned_order(one) for name, one in carried().items()})
    both = ScriptLibrary({name: library_order(one.script, one.evidence) for name, one in library.items()})
    for row in chosen:
        if row in ("written", "learned"):
            voters, train = (written, "none") if row == "written" else (learned, "mcscript,inscript,descript")
            votes = [voters.votes(order.clauses).ahead for order in orders]
        elif row == "both":
            train = "mcscript,inscript,descript,rocstories"
            votes = [both.votes(order.clauses).ahead + learned.votes(order.clauses).ahead for order in orders]
        elif row == "ordered-pairs":
            train = "proscript,mcscript,inscript,descript,rocstories"
            steps = [one for script in make("corpus", "proscript", split="train") if (one := StepOrder.of(script))]
            model = PairOrders(both, seed).fit(steps)
            votes = [model.ahead(order) for order in orders]
        elif row == "step-reader":
            train = "proscript,descript,rocstories,smollm2"
            try:
                answers = [read_steps(order) for order in orders]
            except Missing as error:
                remarks.append(f"not asked: {row}. {error}")
                continue
        else:
            continue
        if row != "step-reader":
            answers = [(ahead, line_edges(ahead)) for ahead in votes]
        edges, pairs = edge_marks(orders, answers)
        put(row, EdgeF1("order_f1"), "proscript", edges, train)
        put(row, Share("pairs"), "proscript", pairs, train)
