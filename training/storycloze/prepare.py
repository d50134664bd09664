"""ROCStories and Story Cloze -> data.npz: token ids, endings of similar stories and flipped endings. Runs on a CPU (7 minutes).

python -m training.storycloze.prepare out/storycloze
"""

from __future__ import annotations

import json
import lzma
import random
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from scenarist.corpora.masked_names import restore
from scenarist.corpora.rocstories import ROCStories
from scenarist.corpora.splits import is_dev
from scenarist.corpora.storycloze import StoryCloze2016, StoryCloze2018
from scenarist.exams.ordering import OrderingExam
from scenarist.learning.wrong_endings import Negatives
from scenarist.models.endings.base import fold_of
from scenarist.networks.gguf import load_tokenizer
from scenarist.networks.pretrained import gguf_file
from scenarist.question import Order
from scenarist.story import sentence_texts


def ordering_questions(places: dict[str, int]) -> dict[str, np.ndarray]:
    """The questions of the exam `ordering` on the cased dev stories: which story, and how it is shuffled."""
    at, shuffled = [], []
    for story in ROCStories("dev", cased=True):
        sentences = list(sentence_texts(story))
        for item in OrderingExam(least=5, most=5).set([story]):
            assert isinstance(item.question, Order)
            at.append(places[story.text])
            shuffled.append([sentences.index(text) for text in item.question.sentences])
    return {"order_at": np.array(at, dtype=np.int32), "order_shuffled": np.array(shuffled, dtype=np.int8)}


def main(out: Path) -> None:
    """Write data.npz and texts.json.xz."""
    tokenizer = load_tokenizer(gguf_file())

    def ragged(texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        ids = [tokenizer.encode(" " + " ".join(text.split())).ids if text else [] for text in texts]
        return np.array([one for row in ids for one in row], dtype=np.uint16), np.array(
            [len(row) for row in ids], dtype=np.uint8
        )

    told = list(ROCStories("all"))
    cased = np.array([story.note("cased") == "yes" for story in told])
    stories = [
        list(sentence_texts(story)) if kept else restore(list(sentence_texts(story)))
        for story, kept in zip(told, cased, strict=True)
    ]
    maker, dice = Negatives(seed=13).fit(stories), random.Random(5)
    near: list[str] = []
    flipped: list[str] = []
    for story in stories:
        for turn in (dice.randrange(3), 3 + dice.randrange(5)):
            made = maker.make(story, "nearest", turn)
            near.append(made.text if made else "")
        made = maker.make(story, "flipped")
        flipped.append(made.text if made else "")
    data: dict[str, np.ndarray] = {"cased": cased, "dev": np.array([is_dev(story.text) for story in told])}
    data.update(ordering_questions({story.text: at for at, story in enumerate(told)}))
    items = [
        (year, item) for year, corpus in ((2016, StoryCloze2016), (2018, StoryCloze2018)) for item in corpus("dev")
    ]
    lists = {
        "roc": [sentence for story in stories for sentence in story],
        "near": near,
        "flip": flipped,
        "sc": [text for _, item in items for text in (*item.context, *item.endings)],
    }
    for name, texts in lists.items():
        data[name], data[f"{name}_n"] = ragged(texts)
    data["sc_answer"] = np.array([item.answer for _, item in items], dtype=np.int8)
    data["sc_year"] = np.array([year for year, _ in items], dtype=np.int16)
    data["sc_fold"] = np.array([fold_of(item.context) for _, item in items], dtype=np.int8)
    data["sc_id"] = np.array([item.id for _, item in items])
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / "data.npz", **data)
    asked = [
        {"context": item.context, "endings": item.endings, "answer": item.answer}
        for year, item in items
        if year == 2016
    ]
    with lzma.open(out / "texts.json.xz", "wt", encoding="utf-8") as file:  # for DSSM, which reads letters
        json.dump({"stories": stories, "dev": data["dev"].tolist(), "items": asked}, file)
    print(f"{len(stories)} stories, {len(items)} items, {sum(map(bool, flipped))} flipped endings in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/storycloze"))
