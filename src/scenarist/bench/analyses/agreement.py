"""Doubly annotated files -> how far people agree: Tables 2 and 3 and Figure 1 of Wanzare et al. (2019).

Annotations are WebAnno TSV or brat files in the folder that ``--annotations`` (or ``SCENARIST_ANNOTATIONS``) names, either one file a
document with the annotator in its segments, or one sub-folder an annotator (then its name counts, even where a detector wrote the file
first and a person corrected it). Where nothing is given, a stand-in is measured and named as such: four made-up annotators of stitched
documents, who shift borders, miss segments and take related scenarios for one another, so that the table can be seen and tested.
Documents that one person alone annotated are counted and left out, and the table says so; it names labels that are not in the inventory.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from scenarist import __version__
from scenarist.bench import marks as scoring
from scenarist.bench.analyses.people.chance_agreement import alpha, annotated_document, gamma, human_f1, label_alphas
from scenarist.bench.analyses.people.study_files import read_study_files
from scenarist.bench.ratios import Tally, ratio
from scenarist.bench.sheet import Analysis, Figure, FigureRow
from scenarist.contracts import Metric
from scenarist.corpora.stitched import Stitched, kin
from scenarist.errors import BadInput, Missing
from scenarist.formats import brat, webanno
from scenarist.formats.lines import stem
from scenarist.formats.plain import sentences
from scenarist.inventory import NONE, unknown
from scenarist.metrics.sentence_labels import Unit, cover
from scenarist.question import Guess, Item, Mark, Prediction, Segments, Where
from scenarist.registry import make
from scenarist.signature import content_hash, sign
from scenarist.story import Label, Segment, Story, replace

VARIABLE = "SCENARIST_ANNOTATIONS"
METRICS = ("kappa", "raw_agreement", "span_agreement")
KINDS = ("identical", "at-least-one", "different", "single", "none")


def table(split: str = "dev", seed: int = 13, limit: int | None = None, annotations: str = "") -> Analysis:
    """Agreement of every pair of annotators, their mean, and the five kinds of sentences; ``annotations``: a folder of annotated files."""
    given = annotations or os.environ.get(VARIABLE, "")
    said: list[str] = []
    stories = annotated(Path(given), said) if given else made_up(split, seed)
    stories = stories[:limit] if limit else stories
    data = f"{'files' if given else 'made-up-annotators'}#{content_hash(one.text.encode() for one in stories)}"
    return measure(stories, {"data": data, "split": split, "seed": seed}, said)


def measure(stories: Sequence[Story], fields: Mapping[str, object], said: Sequence[str] = ()) -> Analysis:
    """The rows for given stories, each with the segments of all its annotators."""
    pairs: dict[tuple[str, str], dict[str, list[Mark]]] = {}
    kinds: Counter[str] = Counter()
    by_story: list[tuple[Story, Counter[str]]] = []
    alone = 0
    for story in stories:
        people = annotators(story)
        if len(people) < 2:
            alone += 1
            continue
        bare = replace(story, segments=())
        item = Item(story.id, Where(bare), Segments(()), story.id)
        for one, two in combinations(people, 2):
            answers = [by_whom(story, who) for who in (one, two)]
            for name in METRICS:
                counts = make("metric", name).agree(*answers, item)
                mark = Mark(
                    story.id, tuple((key, float(value)) for key, value in counts.items()), story.id, story.made_of
                )
                pairs.setdefault((one, two), {}).setdefault(name, []).append(mark)
            sentences_of_kind = Counter(
                kind(*both) for both in zip(*(cover(bare, one_segments(story, who)) for who in (one, two)), strict=True)
            )
            kinds.update(sentences_of_kind)
            by_story.append((story, sentences_of_kind))
    if not pairs:
        raise BadInput(
            f"agreement: none of the {len(stories)} documents was annotated by two people. Expected one sub-folder an annotator with "
            "files of the same names, or files that name several annotators."
        )
    rows = [row(f"{one} and {two}", marks, fields) for (one, two), marks in sorted(pairs.items())]
    pooled = {name: [mark for marks in pairs.values() for mark in renamed(marks[name])] for name in METRICS}
    rows.append(row("all pairs", pooled, fields))
    rows[-1].scores |= {
        f"share/{name}": ratio(
            Tally(counter[name], counter.total(), story.made_of or (story.id,)) for story, counter in by_story
        )
        for name in KINDS
    }
    more = further(stories, rows, sorted(pairs))
    counts = {
        **more.labels,
        "documents": len(stories),
        "annotated_by_one_only": alone,
        "remarks": [*said, *remarks(stories, alone), *more.remarks],
        "sentences": {name: kinds[name] for name in KINDS},
    }
    return Analysis(rows, sign("agreement", {"exam": "detection", **fields, "v": __version__}), counts)


class FurtherAgreement(NamedTuple):
    """What stands beside the paper's measures."""

    labels: dict[str, Any]
    remarks: list[str]


def further(stories: Sequence[Story], rows: list[FigureRow], pairs: Sequence[tuple[str, str]]) -> FurtherAgreement:
    """Alpha, gamma and human F1 for each pair and for all; alpha label by label. What needs a package that is not there is said."""
    shared = [story for story in stories if len(annotators(story)) > 1]
    said = []
    for number, pair in enumerate(pairs):
        both = [story for story in shared if set(pair) <= set(annotators(story))]
        ceiling = human_f1([(story, pair) for story in both])
        if ceiling is not None:
            rows[number].scores["f1/annotators"] = ceiling
    every = [(story, (one, two)) for story in shared for one, two in combinations(annotators(story), 2)]
    if (ceiling := human_f1(every)) is not None:
        rows[-1].scores["f1/annotators"] = ceiling
    labels: dict[str, Any] = {}
    try:
        for number, pair in enumerate(pairs):
            both = [story for story in shared if set(pair) <= set(annotators(story))]
            rows[number].scores["alpha/annotators"] = alpha([annotated_document(story, pair) for story in both])
        documents = [annotated_document(story, annotators(story)) for story in shared]
        rows[-1].scores["alpha/annotators"] = alpha(documents)
        labels = {"labels": {name: figure.form() for name, figure in label_alphas(documents).items()}}
    except Missing as error:
        said.append(str(error))
    try:
        people = sorted({who for story in shared for who in annotators(story)})
        rows[-1].scores["gamma/annotators"] = gamma(shared, people)
    except Missing as error:
        said.append(str(error))
    return FurtherAgreement(labels, said)


def remarks(stories: Sequence[Story], alone: int) -> list[str]:
    """What a reader of the table should know: documents left out, and labels that may be misspelt (they are counted as they stand)."""
    found = [f"{alone} of {len(stories)} documents left out: annotated by one person only."] if alone else []
    names = (label.name for story in stories for segment in story.segments for label in segment.labels)
    for label, near in unknown(name for name in names if name.lower() != NONE.lower()).items():
        hint = f"; did you mean {', '.join(map(repr, near))}?" if near else "."
        found.append(f"The label {label!r} is not in the inventory{hint}")
    return found


def renamed(marks: Iterable[Mark]) -> list[Mark]:
    """Marks whose ids stay apart when pairs are pooled."""
    return [Mark(f"{mark.item}#{at}", mark.counts, mark.group, mark.groups) for at, mark in enumerate(marks)]


def row(name: str, marks: Mapping[str, Sequence[Mark]], fields: Mapping[str, object]) -> FigureRow:
    """One row: a pair of annotators."""
    scores = {}
    for metric_name, given in marks.items():
        metric: Metric = make("metric", metric_name)
        score = scoring.score_marks(metric, given, {"exam": "detection", "row": name, **fields})
        scores[f"{metric_name}/annotators"] = Figure.of(score)
    return FigureRow(name, "human" if "made-up" not in str(fields.get("data")) else "baseline", scores)


def annotators(story: Story) -> list[str]:
    """Who annotated a story; people who read it and marked nothing are named in its notes."""
    told = {segment.by for segment in story.segments}
    return sorted(told | {value for key, value in story.notes if key == "annotator"})


def one_segments(story: Story, who: str) -> tuple[Segment, ...]:
    """The segments one person marked."""
    return tuple(segment for segment in story.segments if segment.by == who)


def by_whom(story: Story, who: str) -> Prediction:
    """A person's annotation as an answer."""
    return Prediction(story.id, (Guess(Segments(one_segments(story, who))),), by=who)


def kind(ours: Unit, theirs: Unit) -> str:
    """Figure 1's five kinds of sentences."""
    if not ours.labels and not theirs.labels:
        return "none"
    if not ours.labels or not theirs.labels:
        return "single"
    if ours.labels == theirs.labels:
        return "identical"
    return "at-least-one" if ours.labels & theirs.labels else "different"


def from_study(folder: Path, said: list[str]) -> list[Story]:
    """The documents of a study in the lab: an exam folder of `detection` and people's predictions."""
    joined: dict[str, Story] = {}
    for part in read_study_files(folder):
        said += part.remarks
        items = {item.id: item for item in part.items}
        for person, predictions in part.people.items():
            for prediction in predictions:
                question = items[prediction.item].question
                if not isinstance(question, Where) or not isinstance(prediction.best, Segments):
                    where = f"{part.folder}: {person}'s answer to {prediction.item!r}"
                    raise BadInput(f"{where} holds no segments; expected an exam of detection.")
                before = joined.get(prediction.item, question.story)
                marked = tuple(
                    Segment(s.start, s.stop, s.labels, s.group, person, s.why) for s in prediction.best.segments
                )
                notes = (*before.notes, ("annotator", person))
                joined[prediction.item] = replace(
                    before, id=prediction.item, segments=before.segments + marked, notes=notes
                )
    return list(joined.values())


def annotated(folder: Path, said: list[str] | None = None) -> list[Story]:
    """The documents of a folder, the annotations of several people joined; a file whose text differs is left out, and ``said`` says so."""
    said = [] if said is None else said
    if not folder.is_dir():
        raise BadInput(f"{folder}: expected a folder of WebAnno TSV or brat files, or a study of the lab")
    if next(folder.rglob("exam.json"), None) is not None:
        return from_study(folder, said)
    found: dict[str, Story] = {}
    for path in sorted([*folder.rglob("*.tsv"), *folder.rglob("*.ann")]):
        story = webanno.read(path) if path.suffix == ".tsv" else brat.read(path)
        who = path.parent.name if path.parent != folder else ""
        segments = tuple(Segment(s.start, s.stop, s.labels, s.group, who or s.by, s.why) for s in story.segments)
        notes = (*story.notes, ("annotator", who)) if who else story.notes
        name = stem(path)
        before = found.get(name)
        if before is None:
            spans = story.sentences or sentences(story.text)
            found[name] = replace(story, id=name, segments=segments, notes=notes, sentences=spans)
            continue
        if before.text != story.text:
            said.append(
                f"{path}: left out, its text differs from that of another annotator's file of {name!r}; offsets would not meet."
            )
            continue
        found[name] = replace(before, segments=before.segments + segments, notes=(*before.notes, *notes))
    if not found:
        raise BadInput(f"{folder}: it holds no WebAnno TSV (*.tsv) and no brat file (*.ann)")
    return list(found.values())


def made_up(split: str, seed: int, documents: int = 120) -> list[Story]:
    """Stitched documents, each marked by two of four made-up annotators: a stand-in for people."""
    found = []
    stories = Stitched(split, documents=documents, other=1 / 3, nested=0.2, related=0.2, seeds=(seed,))
    for number, story in enumerate(stories):
        draw = random.Random(f"{seed} {story.id}")
        one, two = list(combinations("1234", 2))[number % 6]
        segments = tuple(mark for who in (one, two) for mark in perturbed(story, f"made-up {who}", draw))
        notes = (*story.notes, ("annotator", f"made-up {one}"), ("annotator", f"made-up {two}"))
        found.append(replace(story, segments=segments, notes=notes))
    return found


def perturbed(story: Story, who: str, draw: random.Random) -> list[Segment]:
    """The key as a hurried reader would mark it: one in six segments missed, borders off by one, a related label now and then."""
    found = []
    spans = story.sentences
    for segment in story.segments:
        if draw.random() < 1 / 6:
            continue
        inside = [at for at, span in enumerate(spans) if segment.start <= span.start < segment.stop]
        first = min(max(0, inside[0] + draw.choice((0, 0, 0, 1, -1))), len(spans) - 1)
        last = max(first, min(len(spans) - 1, inside[-1] + draw.choice((0, 0, 0, 1, -1))))
        near = sorted(kin(segment.names[0]))
        name = draw.choice(near) if near and draw.random() < 0.12 else segment.names[0]
        labels = (Label(name), Label(draw.choice(near))) if near and draw.random() < 0.08 else (Label(name),)
        found.append(Segment(spans[first].start, spans[last].stop, labels, segment.group, who))
    return found
