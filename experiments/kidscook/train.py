"""Train the variants that follow the paper's code and save them: pairs -> `out/kidscook/NAME-VARIANT-SEED.safetensors` (or --out).

    python -m experiments.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --variant code --seeds 1 2 3

``--variant`` is words, words-mlp (transducers), code or code-best (experiments/kidscook/models.py); all other options are those of
`python -m training.kidscook.train`.
"""

from __future__ import annotations

import sys

from experiments.kidscook.models import TARGETS, VARIANTS
from training.kidscook import train


def main(words: list[str] | None = None) -> None:
    """Make what is asked for."""
    typed = sys.argv[1:] if words is None else words
    if train.arguments().parse_args(typed).variant not in VARIANTS:
        raise SystemExit(f"--variant: expected one of {', '.join(VARIANTS)}. Type: {__doc__.splitlines()[2].strip()}")
    train.main(typed, TARGETS)


if __name__ == "__main__":
    main()
