"""Train the variants that follow the paper's code and save them: pairs -> `out/kidscook/NAME-VARIANT-SEED.safetensors` (or --out).

    python -m experiments.kidscook.train lstm-lm seq2seq seq2seq-attention transducer transducer-param --variant code --seeds 1 2 3

``--variant`` is words, words-mlp (transducers), code or code-best, or another name for files with switches of their own:

    python -m experiments.kidscook.train transducer --variant words-relu --set dropped=\'"words"\' frozen=false layer=\'"relu"\'

(switches: experiments/kidscook/models.py; all other options are those of `python -m training.kidscook.train`).
"""

from __future__ import annotations

from collections.abc import Sequence

from experiments.kidscook.models import TARGETS
from training.kidscook import train


def main(words: Sequence[str] | None = None) -> None:
    """Make what is asked for."""
    train.main(words, TARGETS)


if __name__ == "__main__":
    main()
