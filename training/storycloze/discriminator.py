"""Raw stories and made endings -> a head that prefers the told ending; and which unlabelled rule to trust, chosen without a label.

Wrong endings: of similar stories in this story's names, flipped ones, and endings sampled by the tuned language model when it was shown only
the first one or two sentences. Endings sampled with the whole story are positives beside those, so that "a machine wrote it" is no clue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from scenarist.networks.adapters import Lora
from scenarist.networks.llama import Llama
from training.storycloze.data import BOS, MARK, Data, Ids, cat, group_batches
from training.storycloze.job import SEEDS, Job
from training.storycloze.language_model import rules
from training.storycloze.loop import train
from training.storycloze.sampling import sample
from training.storycloze.trees import Batch, batch, cloze, head_scores, read, tree

Samples = Mapping[str, Mapping[int, Ids]]


def sampled(job: Job, net: Llama, lora: Lora, data: Data, which: np.ndarray, seed: int = 11) -> Samples:
    """Endings drawn after one sentence, after two, and after all four (``ok``)."""
    teller = net.folded(lora, 0)
    stories = [data.stories[at] for at in which]
    found = {
        "s1": sample(job, teller, [cat(BOS, story[0], MARK) for story in stories], seed),
        "s2": sample(job, teller, [cat(BOS, *story[:2], MARK) for story in stories], seed + 1),
        "ok": sample(
            job, teller, [cat(BOS, *story[:4], MARK) for story in stories], seed + 2, temperature=0.9, top_p=0.9
        ),
    }
    return {name: dict(zip(map(int, which), endings, strict=True)) for name, endings in found.items()}


def contrast(job: Job, net: Llama, lora: Lora, data: Data, made: Samples, budget: float, epochs: int = 3) -> None:
    """Train the head and the adapters on; the language model is kept up beside it."""
    dice = np.random.default_rng(2)
    lora.requires_grad_()
    endings = [data.stories[at][4] for at in data.train]

    def row(at: int) -> list[Ids]:
        story = data.stories[at]
        near = data.near[at][dice.integers(2)]
        near = near if len(near) else endings[dice.integers(len(endings))]
        flipped = data.flipped[at]
        if len(flipped) == 0 or dice.random() < 0.35:
            flipped = made["s1"][at] if dice.random() < 0.7 else endings[dice.integers(len(endings))]
        first = made["s1" if dice.random() < 0.5 else "s2"][at]
        second = made["s2" if dice.random() < 0.5 else "s1"][at]
        return [story[4], near, flipped, first, made["ok"][at], second]

    def make(picked: Sequence[np.ndarray]) -> tuple[Batch, list[np.ndarray]]:
        trees = batch([[tree(data.stories[at][:4], row(int(at))) for at in group] for group in picked])
        told = np.isin(trees.branch, (0, 1)) & (
            trees.ids != BOS
        )  # the story with its own ending, but for the first token
        return trees, [np.flatnonzero(part) for part in np.split(told, lora.groups)]

    def step(made: tuple[Batch, list[np.ndarray]]) -> tuple[Any, Any]:
        found = read(job, net, lora, made[0])
        four, pair = found.logits[..., :4], found.logits[..., 4] - found.logits[..., 5]
        choice, better = -F.log_softmax(four, -1)[..., 0].mean(1), -F.logsigmoid(pair).mean(1)
        logp = torch.stack([
            net.logp(found.states[g].flatten(0, 1)[told - 1], found.ids[g].flatten()[told]).mean() for g, told in enumerate(map(job.put, made[1]))
        ])  # fmt: skip
        right = (four.argmax(-1) == 0).float().mean(1)
        return (choice + 0.5 * better - 0.3 * logp).sum(), torch.stack([choice, better, -logp, right])

    size = 3 if job.tiny else 48
    batches_of = lambda epoch: group_batches([data.train] * lora.groups, size, epoch, data.lengths)  # noqa: E731
    train(job, "contrast", lora, batches_of, make, step, 5e-4, budget, epochs, head_rate=2e-3)


def all_rules(
    job: Job, net: Llama, lora: Lora, asked: Sequence[tuple[Sequence[Ids], Sequence[Ids]]]
) -> dict[str, np.ndarray]:
    """The head, the head without its story, the language model, and sums of them: name -> [G, questions, endings]."""
    head, bare = (
        head_scores(job, net, lora, asked),
        head_scores(job, net, lora, [([], endings) for _, endings in asked]),
    )
    spoken = {f"lm {name}": scores for name, scores in rules(job, net, lora, asked).items()}
    out = {"head": head, "head-bare": head - bare, "bare": bare, **spoken}

    def even(scores: np.ndarray) -> np.ndarray:
        return scores / (scores[..., 0] - scores[..., 1]).std()

    for weight in (0.5, 1.0, 2.0):
        for name in ("lm pmi1.0", "lm both"):
            out[f"head + {weight} {name}"] = even(head) + weight * even(spoken[name])
    return out


def choose_rule(job: Job, net: Llama, lora: Lora, data: Data, limit: int = 800) -> str:
    """The rule that finds the told ending most often among made ones, on stories held out of training: no label is looked at."""
    which = data.held_out[:limit]
    made = sampled(job, net, lora, data, which, seed=31)
    asked = []
    for at in which:
        story = data.stories[at]
        wrong = [data.near[at][0], data.flipped[at], made["s1"][int(at)], made["s2"][int(at)]]
        asked += [(story[:4], [story[4], ending]) for ending in wrong if len(ending)]
    found = all_rules(job, net, lora, asked)
    ours = {name: float((scores[..., 0] > scores[..., 1]).mean()) for name, scores in found.items()}
    asked_of_people = all_rules(job, net, lora, cloze(data))
    theirs = {name: data.accuracy(scores) for name, scores in asked_of_people.items()}
    best = max(ours, key=ours.__getitem__)
    for seed, scores in zip(SEEDS, asked_of_people[best], strict=False):
        job.keep(f"story-rule-{seed}", scores.astype(np.float32))
    for name in sorted(ours, key=ours.__getitem__, reverse=True):
        job.say(f"  rule {name}: {ours[name]:.4f} on {len(asked)} made pairs; Story Cloze {theirs[name]}")
    job.say(f"rule chosen on held-out stories: {best}, Story Cloze {theirs[best]}")
    return best
