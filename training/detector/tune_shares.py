"""Scores on documents that are there to tune on -> the deep detector's shares and thresholds: `python -m training.detector.tune_shares DATA MODELS NAMES`.

DATA holds exam.json.gz, MODELS the files NAME-scores.npz (`deep.py`), NAMES are joined by commas (none: the light detector alone). Settings are tried one after another around the
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

from scenarist.models.deep_detector import DeepDetector, fingerprint
from scenarist.models.detector import Evidence, plain_runs
from scenarist.models.label_chain import Array, best, chances
from training.detector.keep_evidence import dense
from training.detector.measuring import pk

SETS = ("tune-clean", "tune-noisy", "tune-nested", "whole")
FIRST: dict[str, Any] = {
    "light": 0.2, "doubt": 1.0, "whole_weight": 0.9, "half": 0.5, "sure": 0.15, "story_weight": 3.6, "shares": None
}  # fmt: skip
TRIED: dict[str, Sequence[Any]] = {
    "light": (0.0, 0.1, 0.3), "doubt": (0.0, 0.5, 1.5, 2.0, 2.5, 3.0), "whole_weight": (0.3, 0.6, 1.3, 1.8), "half": (0.3, 0.7, 1.0),
    "sure": (0.05, 0.1, 0.2, 0.25), "story_weight": (1.8, 5.4),
}  # fmt: skip


class Kept:
    """All that does not depend on the settings: the members' scores, the light network's, the judge's of any stretch."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.detector = DeepDetector(members=(), recorded=True, weights=options.weights)
        with gzip.open(options.data / "exam.json.gz", "rt", encoding="utf-8") as stream:
            exam = json.load(stream)
        members = [dict(np.load(options.models / f"{name}-scores.npz")) for name in options.names.split(",") if name]
        self.enter = [one["enter"] for one in members]
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
        return light

    def mix(one: Array, others: list[Array]) -> Array:
        return np.asarray(share * one + (1 - share) * np.average(others, axis=0, weights=weights))

    return Evidence(
        mix(level(light.emission), [level(one.emission) for one in deep]),
        mix(light.switch, [one.switch for one in deep]), mix(light.enter, [one.enter for one in deep]),
    )  # fmt: skip


def shares(kept: Kept, texts: Sequence[str], emission: Array, settings: dict[str, Any], weight: float) -> Array:
    """What a stretch tells, as `Detector.shares` says it."""
    scores = settings["half"] * emission.sum(axis=0)
    scores = scores - scores.max()
    scores = scores - np.log(np.exp(scores).sum()) + weight * kept.whole(texts)
    scores[0] = -np.inf
    found = np.exp((scores - scores.max()) / kept.detector.caution)
    return np.asarray(found / found.sum())


def path_of(kept: Kept, texts: Sequence[str], seen: Evidence, settings: dict[str, Any]) -> list[int]:
    """A label a sentence."""
    emission = seen.emission.copy()
    emission[:, 0] -= settings["doubt"]
    told = 1 - chances(emission, seen.switch, seen.enter)[:, 0]
    found: list[int] = []
    for run in plain_runs(best(emission, seen.switch, seen.enter)):
        label, own = run.label, slice(run.first, run.last)
        if label:
            every = shares(kept, texts[own], emission[own], settings, settings["whole_weight"])
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
                right += int(shares(kept, texts, seen.emission, settings, settings["story_weight"]).argmax()) == gold[0]
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


def around(kept: Kept, settings: dict[str, Any], rounds: int) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """One setting after another, kept where F1 on clean and noisy documents and the share of whole stories together rise."""

    def worth(made: dict[str, float]) -> float:
        return made["tune-clean"] + made["tune-noisy"] + 0.5 * made.get("tune-nested", 0) + 0.3 * made.get("whole", 0)

    now = figures(kept, settings)
    yield settings, now
    for _ in range(rounds):
        before = settings
        for name, values in TRIED.items():
            for value in values:
                if value != settings[name] and (name != "light" or kept.enter):
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
    parser.add_argument("--count", type=int, default=200, help="documents a set")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--weights", default="", help="another folder of light weights")
    parser.add_argument("--shares", default="", help="weights of the members")
    options = parser.parse_args()
    first = FIRST if options.names else FIRST | {"light": 1.0, "doubt": 1.5, "whole_weight": 1.8}
    given = [float(one) for one in options.shares.split(",")] if options.shares else None
    for settings, made in around(Kept(options), first | {"shares": given}, options.rounds):
        print(json.dumps(settings), json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
