"""Scores on documents that are there to tune on -> the deep detector's shares and thresholds: `python -m training.detector.tune_shares DATA MODELS NAMES`.

DATA holds exam.json.gz, MODELS the files NAME-scores.npz (`deep.py`) and NAME-names.npz (`namers.py`, `tellers.py`), NAMES of readers are joined by commas (none: the light detector alone), as are
those of ``--namers``. Settings are tried one after another around the
present ones, on stitched dev documents of a seed that no table uses; the light network's and the judge's scores are computed once.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenarist.models.scenarios.deep import DeepDetector, joined
from scenarist.models.scenarios.detector import Evidence, plain_runs
from scenarist.networks.label_chain import Array, best, chances
from scenarist.networks.layers import log_softmax
from scenarist.networks.pretrained import fingerprint
from training.detector.measuring import pk

SETS = ("tune-clean", "tune-noisy", "tune-nested", "whole")
FIRST: dict[str, Any] = {
    "light": 0.05, "doubt": 1.0, "stay": 0.0, "half": 0.085, "whole_weight": 0.25, "name": 0.05, "tell": 0.75, "join": 2.25, "sure": 0.15, "caution": 1.4, "shares": None,
    "story_weight": 0.25,
}  # fmt: skip
LIGHT = {"light": 1.0, "stay": 1.0, "half": 0.5, "whole_weight": 1.3, "story_weight": 1.3, "join": None, "caution": 2.5}
TRIED: dict[str, Sequence[Any]] = {
    "light": (0.0, 0.1, 0.2), "doubt": (0.0, 0.5, 1.5, 2.0), "stay": (0.5, 1.0), "half": (0.06, 0.12), "whole_weight": (0.15, 0.35), "name": (0.0, 0.1, 0.2),
    "tell": (0.45, 0.6, 0.9), "join": (None, 1.5, 2.0, 2.5, 3.0), "sure": (0.05, 0.1, 0.2, 0.25), "story_weight": (0.15, 0.45),
}  # fmt: skip
LIGHT_TRIED: dict[str, Sequence[Any]] = {
    "doubt": (0.0, 0.5, 1.5, 2.0), "stay": (0.0, 0.5, 1.5), "half": (0.3, 0.7), "whole_weight": (0.9, 1.6, 2.4), "sure": (0.05, 0.1, 0.2, 0.25), "story_weight": (0.9, 1.8),
}  # fmt: skip


class Names:
    """What a namer or a teller said of segments (`namers.kept`), by their hash."""

    def __init__(self, path: Path) -> None:
        with np.load(path, allow_pickle=False) as file:
            self.labels, self.below = file["labels"], file["below"].astype(np.float32) / float(file["steps"])
            self.place = {bytes(mark).hex(): at for at, mark in enumerate(file["marks"])}

    def scores(self, mark: str, size: int) -> Array | None:
        """Log-chances of all scenarios (C,), or nothing."""
        if mark not in self.place:
            return None
        return dense_names(self.labels[self.place[mark]], self.below[self.place[mark]], size)


def dense(member: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A member's scores of some documents (N, C), in twelfths below the best; what it did not keep lies a little below its last."""
    labels, below = member[f"{name}/labels"], member[f"{name}/below"].astype(np.float32)
    scores = np.repeat(below.max(axis=1, keepdims=True) + 12.0, len(member["enter"]), axis=1)
    np.put_along_axis(scores, labels.astype(np.int64), below, axis=1)
    return scores


def dense_names(labels: Array, below: Array, size: int) -> Array:
    """Kept scores of a segment as log-chances (C,); what was not kept lies a little below the last, *None* is left out."""
    found = np.full(size, -float(below.max()) - 0.5)
    found[labels.astype(np.int64)] = -below
    found[0] = -60.0
    return log_softmax(found)


class Kept:
    """All that does not depend on the settings: the members' scores, the light network's, the judge's of any stretch."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.detector = DeepDetector(members=(), namer="", tellers={}, weights=options.weights)
        with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
            exam = json.load(stream)
        members = [dict(np.load(options.models / f"{name}-scores.npz")) for name in options.names.split(",") if name]
        self.enter = [one["enter"] for one in members]
        self.namers = [Names(options.models / f"{name}-names.npz") for name in options.namers.split(",") if name]
        self.tellers = [Names(options.models / f"{name}-names.npz") for name in options.teller.split(",") if name]
        given = [float(one) for one in options.teller_shares.split(",") if one]
        self.shares = given or [1 / max(1, len(self.tellers))] * len(self.tellers)
        self.named: dict[str, tuple[Array, Array]] = {}
        self.missed = 0
        self.labels = list(self.detector.network.labels)
        self.documents: dict[str, list[tuple[list[str], list[int], Evidence, list[Evidence]]]] = {}
        self.judged: dict[str, Array] = {}
        for name in (one for one in SETS if not members or f"{one}/below" in members[0]):
            rows = exam["documents"][name]
            scores = [-dense(one, name) / 12 for one in members]
            first = 0
            for at, one in enumerate(rows):
                texts = [exam["sentences"][number] for number in one["sentences"]]
                own = slice(first, first + len(texts))
                first = own.stop
                if (scores and first > len(scores[0])) or (name != "whole" and at >= options.count):
                    break
                deep = [
                    Evidence(score[own], member[f"{name}/switch"][own].astype(np.float32), member["enter"])
                    for score, member in zip(scores, members, strict=True)
                ]
                light = super(DeepDetector, self.detector).evidence(texts)
                gold = [self.labels.index(label) for label in one["labels"]]
                self.documents.setdefault(name, []).append((texts, gold, light, deep))

    def names(self, texts: Sequence[str]) -> tuple[Array, Array]:
        """What namers and the teller say of a stretch; nothing where they were not asked."""
        mark = fingerprint(texts)
        if mark not in self.named:
            said = []
            for some, weights in ((self.namers, [1 / max(1, len(self.namers))] * len(self.namers)), (self.tellers, self.shares)):  # fmt: skip
                found = [one.scores(mark, len(self.labels)) for one in some]
                self.missed += any(one is None for one in found)
                there = [weight * one for one, weight in zip(found, weights, strict=True) if one is not None]
                said.append(log_softmax(np.sum(there, axis=0)) if there else np.zeros(len(self.labels)))
            self.named[mark] = said[0], said[1]
        return self.named[mark]

    def whole(self, texts: Sequence[str]) -> Array:
        """The judge's scores of a stretch."""
        mark = fingerprint(texts)
        if mark not in self.judged:
            self.judged[mark] = self.detector.judge.scores(texts)  # type: ignore[union-attr]
        return self.judged[mark]


def level(scores: Array) -> Array:
    """Scores below the best of each row."""
    return np.asarray(scores - scores.max(axis=1, keepdims=True))


def mixed(light: Evidence, deep: Sequence[Evidence], settings: dict[str, Any]) -> Evidence:
    """The evidence of all networks together."""
    share, weights = settings["light"], settings["shares"]
    if not deep:
        return light._replace(switch=light.switch - settings["stay"])

    def mix(one: Array, others: list[Array]) -> Array:
        return np.asarray(share * one + (1 - share) * np.average(others, axis=0, weights=weights))

    return Evidence(
        mix(level(light.emission), [level(one.emission) for one in deep]),
        mix(light.switch, [one.switch for one in deep]) - settings["stay"], mix(light.enter, [one.enter for one in deep]),
    )  # fmt: skip


def shares(kept: Kept, texts: Sequence[str], emission: Array, settings: dict[str, Any], story: bool = False) -> Array:
    """What a stretch tells, as `DeepDetector.shares` says it."""
    named, told = kept.names(texts)
    whole = settings["story_weight" if story else "whole_weight"] * kept.whole(texts)
    scores = log_softmax(settings["half"] * emission.sum(axis=0)) + whole + settings["name"] * named + settings["tell"] * told  # fmt: skip
    scores[0] = -np.inf
    found = np.exp((scores - scores.max()) / settings["caution"])
    return np.asarray(found / found.sum())


def path_of(kept: Kept, texts: Sequence[str], seen: Evidence, settings: dict[str, Any]) -> list[int]:
    """A label a sentence."""
    emission = seen.emission.copy()
    emission[:, 0] -= settings["doubt"]
    told = 1 - chances(emission, seen.switch, seen.enter)[:, 0]
    found: list[int] = []
    path = best(emission, seen.switch, seen.enter)
    if settings["join"] is not None:
        path = joined(path, 0, seen.switch, lambda a, b: shares(kept, texts[a:b], emission[a:b], settings), settings["join"])  # fmt: skip
    for run in plain_runs(path):
        label, own = run.label, slice(run.first, run.last)
        if label:
            every = shares(kept, texts[own], emission[own], settings)
            label = int(every.argmax())
            least = settings["sure"] if run.last - run.first > 1 else max(settings["sure"], 0.5)
            label = label if every[label] * told[own].mean() >= least else 0
        found += [label] * (run.last - run.first)
    return found


def figures(kept: Kept, settings: dict[str, Any]) -> dict[str, float]:
    """F1 and Pk of stitched documents, the share of whole stories."""
    found: dict[str, float] = {}
    for name in kept.documents:
        right = claimed = there = 0
        edges = []
        for texts, gold, light, deep in kept.documents[name]:
            seen = mixed(light, deep, settings)
            if name == "whole":
                right += int(shares(kept, texts, seen.emission, settings, True).argmax()) == gold[0]
                there += 1
                continue
            path = path_of(kept, texts, seen, settings)
            right += sum(one == two != 0 for one, two in zip(path, gold, strict=True))
            claimed += sum(one != 0 for one in path)
            there += sum(one != 0 for one in gold)
            edges.append(pk(gold, path))
        if name == "whole":
            found[name] = right / there
        else:
            found[name] = 2 * right / max(1, claimed + there)
            found[f"{name} pk"] = float(np.mean(edges))
    return {name: round(value, 4) for name, value in found.items()}


def at_borders(kept: Kept, settings: dict[str, Any], names: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """The share of sentences (clean documents) and of whole stories that each judge names rightly where the borders are given, and all with their weights."""
    right: dict[str, dict[str, float]] = {}
    for part in ("tune-clean", "whole"):
        sizes = 0
        for texts, gold, light, deep in kept.documents[part]:
            seen = mixed(light, deep, settings)
            for run in plain_runs(gold):
                if not run.label:
                    continue
                own, size = slice(run.first, run.last), 1 if part == "whole" else run.last - run.first
                some, mark = texts[own], fingerprint(texts[own])
                said = [level(one.emission[own]).sum(axis=0) for one in (light, *deep)] + [kept.whole(some)]
                said += [one.scores(mark, len(kept.labels)) for one in (*kept.namers, *kept.tellers)]  # type: ignore[misc]
                said.append(shares(kept, some, seen.emission[own], settings, part == "whole"))
                sizes += size
                for name, one in zip(names, said, strict=True):
                    found = right.setdefault(name, {})
                    found[part] = found.get(part, 0) + size * (one is not None and int(one[1:].argmax()) + 1 == run.label)  # fmt: skip
        for found in right.values():
            found[part] = round(found.get(part, 0) / sizes, 4)
    yield from right.items()


def around(kept: Kept, settings: dict[str, Any], rounds: int) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """One setting after another, kept where F1 on clean and noisy documents and the share of whole stories together rise."""

    def worth(made: dict[str, float]) -> float:
        return made["tune-clean"] + made["tune-noisy"] + 0.5 * made.get("tune-nested", 0) + 0.3 * made.get("whole", 0)

    now = figures(kept, settings)
    yield settings, now
    for _ in range(rounds):
        before = settings
        for name, values in (TRIED if kept.enter else LIGHT_TRIED).items():
            for value in values:
                if value != settings[name]:
                    made = figures(kept, settings | {name: value})
                    yield settings | {name: value}, made
                    if worth(made) > worth(now) + 1e-4:
                        settings, now = settings | {name: value}, made
        if settings == before:
            break
    yield settings, now


def main() -> None:
    """Print every try and the best."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names")
    parser.add_argument("--namers", default="", help="networks that read single segments, joined by commas")
    parser.add_argument("--teller", default="", help="language models that tell segments, joined by commas")
    parser.add_argument("--teller-shares", default="", help="how much each of them counts; all the same otherwise")
    parser.add_argument("--count", type=int, default=200, help="documents a set")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--weights", default="", help="another folder of light weights")
    parser.add_argument("--shares", default="", help="weights of the members")
    parser.add_argument(
        "--each", action="store_true", help="first what each judge says by itself, given the true borders"
    )
    options = parser.parse_args()
    first = FIRST if options.names else FIRST | LIGHT
    given = [float(one) for one in options.shares.split(",")] if options.shares else None
    kept, first = Kept(options), first | {"shares": given}
    if options.each:
        judges = [one for names in (options.names, "words", options.namers, options.teller) for one in names.split(",") if one]  # fmt: skip
        for name, right in at_borders(kept, first, ["light", *judges, "together"]):
            print(name, json.dumps(right))
    for settings, made in around(kept, first, options.rounds):
        print(json.dumps(settings), json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
