"""Abstract instruction -> its concrete steps, each stretch of them tied to the word it came from.

Two parts: a teller that writes the steps (the fine-tuned causal model, or the parameterised transducer, which has read the whole
instruction before its first word) and an aligner that says which abstract word each stretch was told from (a transducer with fixed
transitions). ``auto`` takes the large ones where SmolLM2 and the released adapters are in place, else the small in-domain ones.
"""

from __future__ import annotations

import re

from scenarist.errors import BadInput, Missing, missing_extra
from scenarist.registry import make
from scenarist.story import Alignment, Pair


def words_of(text: str) -> tuple[str, ...]:
    """An instruction in the corpus's form: lower case, punctuation apart, a full stop at the end.

    >>> words_of("Drain the pasta!")
    ('drain', 'the', 'pasta', '.')
    """
    words = re.findall(r"[\w'-]+|[^\w\s]", text.lower())
    if not any(word[0].isalnum() for word in words):
        raise BadInput('There is no instruction to explain. Type for example: scenarist explain "drain the pasta"')
    return (*(word for word in words if word not in ".!?;"), ".")


def explain(text: str, size: str = "auto", device: str = "auto", seed: int = 1) -> Alignment:
    """The concrete steps of an instruction, and the abstract word each stretch of them came from."""
    if size not in ("auto", "large", "small"):
        raise BadInput(f"size is auto, large or small, not {size!r}.")
    abstract = words_of(text)
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("torch", "lm", "scenarist explain") from error
    settings = {"weights": "kidscook", "device": device, "seed": seed}
    if size != "small":
        try:
            teller = make("model", "causal-lm-tuned", **settings).fit(())
            aligner = make("model", "pretrained-transducer", **settings).fit(())
            steps = teller.tell(abstract)
        except Missing:
            if size == "large":
                raise
            return explain(text, "small", device, seed)
    else:
        aligner = make("model", "transducer", **settings).fit(())
        if not any(word in aligner.vocabulary_.at for word in abstract[:-1]):
            raise BadInput(
                f"The small model knows none of the words of {text!r}. Use others, or get the large one: scenarist get smollm2"
            )
        steps = make("model", "transducer-param", **settings).tell(abstract)
    if not steps:
        raise BadInput(f"The model wrote nothing for {text!r}; try other words.")
    alignment: Alignment = aligner.align([Pair("explained", abstract, steps)])[0]
    return alignment
