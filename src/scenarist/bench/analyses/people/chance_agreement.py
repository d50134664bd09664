"""Stories with the segments of several annotators -> Krippendorff's alpha, gamma, human F1 and agreement label by label.

*Alpha* (package `krippendorff`, extra `people`): nominal, a sentence is a unit and its whole label set the category; it takes any number of
annotators and documents that not all of them read. Label by label: is the label there or not. *Gamma* (Mathet et al. 2015) looks at spans
with their labels, borders and all (package `pygamma-agreement`, extra `gamma`); who marked nothing in a document does not count
there. *F1* is the detection scorer (Wanzare 2019, section 5.1) with one annotator as the key and the other as the answer, both ways: what a
model can reach; its interval draws the stories that documents were made of. The others draw documents whole.
"""

from __future__ import annotations

import itertools
import logging
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from scenarist.bench.bootstrap import interval
from scenarist.bench.marks import total
from scenarist.bench.sheet import Figure
from scenarist.errors import Missing, missing_extra
from scenarist.metrics.sentence_labels import NONE, cover
from scenarist.question import Guess, Item, Mark, Prediction, Segments, Where
from scenarist.registry import make
from scenarist.story import Story, replace

REPLICATES = 300
FEWEST_SENTENCES = 5
"""A label is shown alone where somebody gave it to so many sentences."""


class AnnotatedDocument(NamedTuple):
    """A document's sentences by annotator: their label sets."""

    id: str
    labels: dict[str, list[frozenset[str]]]


def annotated_document(story: Story, people: Sequence[str]) -> AnnotatedDocument:
    """The label sets of each annotator's sentences."""
    bare = replace(story, segments=())
    segments = {who: tuple(segment for segment in story.segments if segment.by == who) for who in people}
    return AnnotatedDocument(
        story.id, {who: [frozenset(unit.labels) for unit in cover(bare, part)] for who, part in segments.items()}
    )


def krippendorff_alpha() -> Callable[..., float]:
    """The package's function."""
    try:
        import krippendorff
    except ModuleNotFoundError as error:
        raise missing_extra("krippendorff", "people", "Krippendorff's alpha") from error
    function: Callable[..., float] = krippendorff.alpha
    return function


def codes_of(documents: Sequence[AnnotatedDocument], code: Callable[[frozenset[str]], str]) -> list[Any]:
    """A matrix a document: annotators x sentences, categories as numbers, NaN where somebody did not read it."""
    people = sorted({who for document in documents for who in document.labels})
    numbers: dict[str, int] = {}
    matrices = []
    for document in documents:
        size = len(next(iter(document.labels.values())))
        matrix = np.full((len(people), size), np.nan)
        for who, sets in document.labels.items():
            matrix[people.index(who)] = [numbers.setdefault(code(labels), len(numbers)) for labels in sets]
        matrices.append(matrix)
    return matrices


def alpha_of(matrices: Sequence[Any]) -> float:
    """Nominal alpha; 1 where everybody always says the same one thing."""
    whole = np.concatenate(matrices, axis=1)
    if len(np.unique(whole[~np.isnan(whole)])) < 2:
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = float(krippendorff_alpha()(reliability_data=whole, level_of_measurement="nominal"))
    return 1.0 if np.isnan(value) else value


def alpha_figure(matrices: Sequence[Any], seed: int = 13) -> Figure:
    """Alpha with its interval."""
    value, size = alpha_of(matrices), sum(matrix.shape[1] for matrix in matrices)
    if len(matrices) < 2:
        return Figure(value, n=size)
    rng = np.random.default_rng(seed)
    draws = [
        alpha_of([matrices[number] for number in rng.integers(0, len(matrices), len(matrices))])
        for _ in range(REPLICATES)
    ]
    low, high = np.quantile(draws, [0.025, 0.975])
    return Figure(value, float(low), float(high), size)


def alpha(documents: Sequence[AnnotatedDocument]) -> Figure:
    """Alpha over label sets."""
    return alpha_figure(codes_of(documents, lambda labels: " + ".join(sorted(labels)) or NONE))


def has_label(name: str) -> Callable[[frozenset[str]], str]:
    """Is a label in a sentence's set, as a category?"""
    return lambda labels: str(name in labels)


def label_alphas(documents: Sequence[AnnotatedDocument]) -> dict[str, Figure]:
    """Alpha label by label, the commonest first."""
    uses: Counter[str] = Counter()
    for document in documents:
        uses.update(label for sets in document.labels.values() for labels in sets for label in labels)
    names = [label for label, count in uses.most_common() if count >= FEWEST_SENTENCES]
    return {name: alpha_figure(codes_of(documents, has_label(name))) for name in names}


def human_f1(stories: Iterable[tuple[Story, tuple[str, str]]], seed: int = 13) -> Figure | None:
    """F1 of one annotator against another under the detection scorer, both ways; None where nobody marked anything."""
    metric = make("metric", "f1")
    marks = []
    for story, pair in stories:
        bare = replace(story, segments=())
        for key_by, answer_by in itertools.permutations(pair, 2):
            key, answer = (
                Segments(tuple(segment for segment in story.segments if segment.by == who))
                for who in (key_by, answer_by)
            )
            item = Item(f"{story.id} {key_by} {answer_by}", Where(bare), key, story.id)
            counts = metric.mark(item, Prediction(item.id, (Guess(answer),), answer_by))
            named = tuple((name, float(count)) for name, count in counts.items())
            marks.append(Mark(item.id, named, story.id, story.made_of))
    if not marks:
        return None
    low, high = interval(metric, marks, seed=seed)
    return Figure(total(metric, marks), low, high, len(marks) // 2)


@contextmanager
def quiet_solver() -> Iterator[None]:
    """Without the package's warning, sample for sample, that it takes GLPK where CBC is not installed: the results are the same."""

    def others(record: logging.LogRecord) -> bool:
        return "CBC solver" not in record.getMessage()

    root = logging.getLogger()
    root.addFilter(others)
    try:
        yield
    finally:
        root.removeFilter(others)


def gamma(stories: Sequence[Story], people: Sequence[str]) -> Figure:
    """Gamma over all documents that two or more people annotated: the mean, weighted by sentences."""
    try:
        from pyannote.core import Segment as Span
        from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum
    except ModuleNotFoundError as error:
        raise missing_extra("pygamma-agreement", "gamma", "Gamma") from error
    values, weights = [], []
    np.random.seed(13)
    for story in stories:
        continuum = Continuum()
        for who in people:
            for segment in story.segments:
                if segment.by == who:
                    for name in segment.names:
                        continuum.add(who, Span(segment.start, segment.stop), name)
        if len(continuum.annotators) < 2:
            continue
        with quiet_solver():
            result = continuum.compute_gamma(CombinedCategoricalDissimilarity(), precision_level=0.1)
            values.append(float(result.gamma))
        weights.append(len(story.sentences))
    if not values:
        raise Missing("Gamma: no document has segments of two people.")
    return Figure(float(np.average(values, weights=weights)), n=len(values))
