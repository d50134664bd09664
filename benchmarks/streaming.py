"""Does loading stream? A synthetic corpus of 1 GB, read to its end in several formats; peak memory must stay under 300 MB.

    python benchmarks/streaming.py [--megabytes 1000] [--formats mcscript,rocstories,nyt-chains,ewt,gigaword] [--json]

Each format is read in a process of its own, whose peak resident memory is printed; a tenth of the size is read as well, to show that
memory does not grow with the corpus. The files are made in a temporary folder and removed afterwards. Exit code 1 where the limit is
passed.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LIMIT = 300
READ = """
import resource, sys, time
from scenarist.registry import make
begun = time.perf_counter()
corpus = make("corpus", *sys.argv[1:2], **({"path": sys.argv[2]} if ":" not in sys.argv[1] else {}))
count = sum(1 for _ in corpus)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
print(count, round(peak, 1), round(time.perf_counter() - begun, 2))
"""
WORDS = "the a she he it kettle tree bus library cake water put took found poured walked waited read dug paid slowly home again".split()


def sentences(draw: random.Random, many: int) -> list[str]:
    """Nonsense sentences."""
    return [" ".join(draw.choices(WORDS, k=12)).capitalize() + "." for _ in range(many)]


def jsonl(number: int, draw: random.Random) -> str:
    text = " ".join(sentences(draw, 12))
    return json.dumps({"scenario": "baking a cake", "text": f"{number} {text}"}) + "\n"


def csv(number: int, draw: random.Random) -> str:
    head = "storyid,storytitle,sentence1,sentence2,sentence3,sentence4,sentence5\n" if number == 0 else ""
    return head + f"id{number},Title," + ",".join(sentences(draw, 5)) + "\n"


def chains(number: int, draw: random.Random) -> str:
    lines = "".join(" ".join(f"{verb}->nsubj" for verb in draw.choices(WORDS, k=6)) + " \n" for _ in range(40))
    return f"<DOCNAME>NYT_ENG_19940701.{number:07d}\n<UUID>x\n{lines}\n"


def conllu(number: int, draw: random.Random) -> str:
    lines = [f"# newdoc id = d{number}\n"]
    for text in sentences(draw, 10):
        words = [*text.removesuffix(".").split(), "."]
        rows = (
            f"{place}\t{word}\t{word}\tX\tX\t_\t{place - 1}\tdep\t_\t_\n" for place, word in enumerate(words, start=1)
        )
        lines += [f"# text = {text}\n", *rows, "\n"]
    return "".join(lines)


def sgml(number: int, draw: random.Random) -> str:
    body = "\n".join(f"<P>\n{text}\n</P>" for text in sentences(draw, 20))
    return f'<DOC id="NYT_ENG_{number}" type="story" >\n<TEXT>\n{body}\n</TEXT>\n</DOC>\n'


FORMATS: dict[str, tuple[str, Callable[[int, random.Random], str]]] = {
    "mcscript": ("corpus.jsonl", jsonl),
    "rocstories": ("corpus.csv", csv),
    "nyt-chains": ("corpus", chains),
    "ewt": ("corpus.conllu", conllu),
    "gigaword": ("nyt_eng_199407", sgml),
}


def make_file(path: Path, size: int, one: Callable[[int, random.Random], str]) -> None:
    """Write about ``size`` bytes: distinct ids, bodies drawn from a pool, so that making the file is quick."""
    draw = random.Random(13)
    pool = [one(number + 1, draw) for number in range(200)]
    with path.open("w", encoding="utf-8") as out:
        written = out.write(one(0, draw))
        number = 200
        while written < size:
            for text in pool:
                number += 1
                written += out.write(renumbered(text, number))


def renumbered(text: str, number: int) -> str:
    """The same body under another id."""
    for mark in ("id", "NYT_ENG_", "# newdoc id = d"):
        if text.startswith((mark, f'<DOC id="{mark}')):
            head, _, rest = text.partition(mark)
            return f"{head}{mark}{number}x{rest}"
    return text


def measure(names: list[str], megabytes: int, folder: Path) -> Iterator[dict[str, object]]:
    """Read each format at a tenth of the size and at the full size."""
    for name in names:
        file, one = FORMATS[name]
        for size in (megabytes // 10, megabytes):
            path = folder / file
            make_file(path, size * 1_000_000, one)
            actual = path.stat().st_size
            output = subprocess.run(
                [sys.executable, "-c", READ, name, str(path)], check=True, capture_output=True, text=True
            ).stdout
            count, peak, seconds = output.split()
            path.unlink()
            yield {
                "corpus": name, "megabytes": round(actual / 1e6), "nouns": int(count), "peak_mb": float(peak), "seconds": float(seconds),
            }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Peak memory of the loaders on a synthetic corpus.")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--formats", default="mcscript,rocstories,nyt-chains", help=f"of {', '.join(FORMATS)}, joined by commas"
    )
    given = parser.parse_args()
    rows = []
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for row in measure(given.formats.split(","), given.megabytes, Path(folder)):
            rows.append(row)
            if not given.json:
                print(
                    "{corpus:12} {megabytes:6} MB  {nouns:9,} nouns  peak {peak_mb:6.1f} MB  {seconds:7.1f} s".format(
                        **row
                    ),
                    flush=True,
                )
    worst = max(float(str(row["peak_mb"])) for row in rows)
    verdict = {"peak_mb": worst, "limit_mb": LIMIT, "ok": worst < LIMIT, "seconds": round(time.perf_counter() - begun)}
    print(
        json.dumps({"rows": rows, **verdict})
        if given.json
        else f"worst peak {worst:.1f} MB, limit {LIMIT} MB: {'ok' if verdict['ok'] else 'FAILED'}"
    )
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
