"""Corpora -> one file of sentences for training the detector: `python -m training.detector.prepare FOLDER`.

Writes FOLDER/sentences.jsonl.gz, a record per text: kind (`told`: a story with its scenario; `listed`: a DeScript event
sequence; `weak`: a ROCStories story picked by its words; `none`: text without scenarios; `free`: ROCStories without a label), split,
label, sentences. The dev split is only for watching the training; nothing is learned from it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from scenarist.corpora import search_path as finding
from scenarist.corpora.stitched import noise_texts
from scenarist.formats.plain import sentences
from scenarist.inventory import find
from scenarist.registry import make

HERE = Path(__file__).parent


def cut(text: str) -> list[str]:
    """The sentences of a text as strings."""
    return [text[one.start : one.stop] for one in sentences(text)]


def letters(sentences: Iterable[str]) -> set[str]:
    """Sentences by their letters; short ones, which anybody may write, are left out.

    >>> letters(["He went to the kitchen, and fetched a bowl .", "It rained."])
    {'hewenttothekitchenandfetchedabowl'}
    """
    return {key for one in sentences if len(key := re.sub(r"[^a-z]", "", one.lower())) > 25}


def same(one: set[str], two: set[str]) -> bool:
    """Are two stories the same, or nearly? MCScript took over some of InScript's."""
    return len(one & two) >= 2


def told() -> Iterator[dict[str, object]]:
    """MCScript, and InScript's train split for ten of its scenarios; of InScript none that MCScript has in its dev split."""
    held: list[set[str]] = []
    for split in ("train", "dev"):
        for story in make("corpus", "mcscript", split=split):
            lines = cut(story.text)
            if split == "dev":
                held.append(letters(lines))
            yield {"kind": "told", "split": split, "label": find(story.scenario).name, "sentences": lines}
    for story in make("corpus", "inscript", split="train"):
        label, lines = find(story.scenario).name, cut(" ".join(story.text.split()))
        own = letters(lines)
        if any(same(own, one) for one in held):
            continue
        yield {"kind": "told", "split": "train", "label": label, "sentences": lines, "source": "inscript"}


def listed() -> Iterator[dict[str, object]]:
    """DeScript's event sequence descriptions."""
    for folder in ("pilot_esd", "second_esd"):
        root = finding.require("descript", f"esds/{folder}")
        for path in sorted(root.glob("*.xml")):
            label = find(path.name.split(".")[0]).name
            text = re.sub(r"&(?!\w+;)", "&amp;", path.read_text(encoding="utf-8", errors="replace"))
            try:
                scripts = ElementTree.fromstring(text)
            except ElementTree.ParseError:
                continue
            for script in scripts.iter("script"):
                lines = [str(item.get("original", "")).strip().rstrip(".") + "." for item in script.iter("item")]
                if len(lines) > 2:
                    yield {"kind": "listed", "split": "train", "label": label, "sentences": lines}


def rocstories() -> Iterator[dict[str, object]]:
    """ROCStories: weak labels by words for the scenarios without text, free text otherwise."""
    rules = {name: re.compile(rule) for name, rule in tomllib.loads((HERE / "weak.toml").read_text()).items()}
    for story in make("corpus", "rocstories", split="train"):
        text = story.text.lower()
        label = next((name for name, rule in rules.items() if rule.search(text)), "")
        lines = [story.of(one) for one in story.sentences]
        yield {"kind": "weak" if label else "free", "split": "train", "label": label, "sentences": lines}


def without() -> Iterator[dict[str, object]]:
    """Text that tells none of the scenarios."""
    for split in ("train", "dev"):
        for source in ("short-fiction", "gum", "ewt"):
            for lines, *_ in noise_texts(source, split):
                yield {"kind": "none", "split": split, "label": "", "sentences": list(lines[:80]), "source": source}


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    with gzip.open(folder / "sentences.jsonl.gz", "wt", encoding="utf-8") as stream:
        for part in (told, listed, rocstories, without):
            for record in part():
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
                key = f"{record['kind']} {record['split']}"
                counts[key] = counts.get(key, 0) + 1
    print(counts)


if __name__ == "__main__":
    main()
