"""Table x name of a corpus -> Table: the same rows on another corpus, e.g. on one's own annotated files.

Each condition on the table's own corpus (that of its first condition) moves to the other one, without the parameters of the old; a
condition on any third corpus is left out. Conditions that then ask the same become one, named for the kind of the corpus, with the
metrics of all of them. Published figures stay beside it as they are; what a row may learn from is not touched.
"""

from __future__ import annotations

import msgspec

from scenarist.bench.spec import Condition, Table
from scenarist.errors import BadInput
from scenarist.noun import to_json
from scenarist.registry import find
from scenarist.signature import short_name


def usual_split(corpus: str, split: str = "") -> str:
    """The split that is asked for, else the one an exam on this corpus is usually set on.

    >>> usual_split("toy"), usual_split("webanno:blogs"), usual_split("webanno:blogs", "dev")
    ('dev', 'all', 'dev')
    """
    return split or getattr(find("corpus", corpus), "usual_split", "dev")


def on_corpus(table: Table, corpus: str) -> Table:
    """The table on another corpus."""
    if table.kind != "exam":
        raise BadInput(f"{table.name} is an analysis, no exam that solvers sit: it takes no --corpus.")
    own = table.condition[0].corpus
    groups: dict[bytes, list[Condition]] = {}
    for condition in table.condition:
        if condition.corpus == own:
            same = to_json([condition.exam, condition.settings, condition.train, condition.train_settings])
            groups.setdefault(same, []).append(condition)
    renamed: dict[str, str] = {}
    conditions = []
    for group in groups.values():
        name = group[0].name if len(group) == 1 else corpus.partition(":")[0]
        renamed |= {condition.name: name for condition in group}
        metrics = list(dict.fromkeys(metric for condition in group for metric in condition.metrics))
        conditions.append(
            msgspec.structs.replace(group[0], name=name, corpus=corpus, metrics=metrics, corpus_settings={}, test={})
        )
    rows = [
        msgspec.structs.replace(
            row, only=list(dict.fromkeys(renamed[name] for name in row.only if name in renamed)), splits=[]
        )
        for row in table.row
        if not row.only or set(row.only) & set(renamed)
    ]
    title = f"The rows of {table.name} on {short_name(corpus)}"
    note = f"Published figures are of the paper's own corpus, not of {short_name(corpus)}."
    return msgspec.structs.replace(table, title=title, note=note, condition=conditions, row=rows)
