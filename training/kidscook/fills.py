"""Table 5 as a page: `python -m training.kidscook.fills MODEL --html FILE [--rows 12] [--split dev] [--seed 13]`."""

from __future__ import annotations

import argparse
from pathlib import Path

from scenarist.bench.analyses.kidscook_fills import fills_page
from scenarist.store.home import write_whole


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--html", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--seed", type=int, default=13)
    given = parser.parse_args()
    write_whole(given.html, [fills_page(given.model, given.split, given.rows, given.seed).encode()])
    print(given.html)


if __name__ == "__main__":
    main()
