"""Table -> a folder with tasks that other harnesses run unchanged: lm-evaluation-harness and inspect.

Exported are the conditions whose questions are choices and that `--model` sits, with our prompts; where it is shown the choices alone, so
is the harness. For lm-eval: what `--model` scores by ``how=sum``; causes and effects by letters, since their texts stand before the event
and not after it. For inspect: what `--model` asks by ``score=text``, each question in both orders, answers read by the same pattern.
Beside the tasks lies an exam folder for each condition, against which `scenarist score` marks the harness's logs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenarist.errors import BadInput

if TYPE_CHECKING:
    from scenarist.question import Choice, Item

TARGETS = ("lm-eval", "inspect")


def export(
    target: str, table: str, folder: str | Path, split: str = "", limit: int | None = None, prompts: str = "v1"
) -> list[Path]:
    """Write the tasks of a table for a harness; the files that name the tasks."""
    from scenarist.bench.exam_folder import write as write_exam
    from scenarist.bench.run_table import Ways, plan_of
    from scenarist.bench.spec import load
    from scenarist.marked import ExamCard
    from scenarist.models.candidates.prompts import prompts_of
    from scenarist.question import Choice
    from scenarist.signature import plain

    if target not in TARGETS:
        raise BadInput(
            f"There is no harness {target!r}. Expected {' or '.join(TARGETS)}, e.g. scenarist export lm-eval storycloze2016 DIR"
        )
    spec, place = load(table), Path(folder)
    wording, written = prompts_of(prompts), list[Path]()
    for condition in spec.condition:
        if condition.candidates == "no":
            continue
        plan = plan_of(condition, Ways(split or "dev", limit))
        items = [item for item in plan.items if isinstance(item.question, Choice) and isinstance(item.key, str)]
        if not items:
            continue
        name = re.sub(r"\W", "_", f"scenarist_{spec.name}_{condition.name}")
        fixed = tuple((key, plain(value)) for key, value in plan.exam.settings().items())
        data = str(plan.fields["data"])
        card = ExamCard(
            plan.exam.name, condition.corpus, split or "dev", len(items), data, fixed, tuple(condition.metrics)
        )
        write_exam(place / f"{name}-exam", items, card)
        documents = [document(item, wording, alone=condition.candidates == "choices") for item in items]
        write_lines(place / f"{name}.jsonl", documents)
        written.append(write_task(target, place, name, wording.name))
    if not written:
        raise BadInput(f"table {spec.name} asks for no choice between texts; nothing of it can be exported.")
    return written


def document(item: Item, wording: Any, alone: bool = False) -> dict[str, Any]:
    """An item as a document of a task: what is read (``alone``: nothing but the choices), the choices, which is right."""
    from scenarist.models.candidates.prompts import LETTERS, focus_of, lettered, story_of

    question: Any = item.question
    asked: Choice = question.without_context() if alone else question
    activity = wording.fill("activity", "before", activity=asked.scenario) if asked.scenario else ""
    story, focus = story_of(asked), focus_of(asked)
    asks = [
        wording.fill(
            asked.relation or "continue", "ask", activity=activity, story=story, focus=focus, choices=lettered(choices)
        ).strip()
        for choices in (asked.choices, asked.choices[::-1])
    ]
    if asked.relation:
        query, choices = asks[0], [f" {LETTERS[index]}" for index in range(len(asked.choices))]
    else:
        query = wording.fill("continue", "before", story=story) if story else wording.fill("alone", "before")
        choices = [wording.fill("continue", "after", choice=choice.strip()) for choice in asked.choices]
    return {
        "item_id": item.id, "query": query, "choices": choices, "gold": int(str(item.key)), "asks": asks, "count": len(asked.choices),
    }  # fmt: skip


def write_lines(path: Path, documents: Sequence[dict[str, Any]]) -> None:
    """Documents, one a line."""
    from scenarist.store.home import write_whole

    write_whole(path, [json.dumps(entry, ensure_ascii=False).encode() + b"\n" for entry in documents])


def write_task(target: str, place: Path, name: str, prompts: str) -> Path:
    """The file that names the task."""
    from scenarist.models.candidates.base import WRITTEN
    from scenarist.models.candidates.parsing import LETTER
    from scenarist.store.home import write_whole

    if target == "inspect":
        path = place / f"{name}.py"
        text = (
            INSPECT.replace("NAME", name)
            .replace("PROMPTS", prompts)
            .replace("PATTERN", f"r{LETTER!r}".replace("\\\\", "\\"))
        )
        write_whole(path, [text.replace("TOKENS", str(WRITTEN["letter"])).encode()])
        return path
    path = place / f"{name}.yaml"
    data = json.dumps(str((place / f"{name}.jsonl").resolve()))
    write_whole(path, [LM_EVAL.replace("NAME", name).replace("DATA", data).replace("PROMPTS", prompts).encode()])
    return path


LM_EVAL = """\
# Written by scenarist (prompts PROMPTS). Run:
#   lm_eval --include_path . --tasks NAME --model hf --model_args pretrained=... --log_samples -o out
# and mark it with intervals and paired tests: scenarist score NAME-exam out/*/samples_NAME_*.jsonl
task: NAME
dataset_path: json
dataset_kwargs:
  data_files:
    test: DATA
test_split: test
output_type: multiple_choice
doc_to_text: "{{query}}"
doc_to_choice: "{{choices}}"
doc_to_target: gold
target_delimiter: ""
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1
"""
INSPECT = '''\
"""Written by scenarist (prompts PROMPTS). Run: inspect eval NAME.py --model ... --log-format json

Each question is asked twice, its choices in both orders. Mark the log with intervals and tests: scenarist score NAME-exam logs/*.json
"""

import json
import re
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import pattern
from inspect_ai.solver import generate

LETTER = PATTERN


@task
def NAME():
    samples = []
    for line in (Path(__file__).parent / "NAME.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        for order, ask in zip(("given", "backwards"), entry["asks"]):
            place = entry["gold"] if order == "given" else entry["count"] - 1 - entry["gold"]
            samples.append(
                Sample(
                    input=ask,
                    target="ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place],
                    id=f"{entry['item_id']} {order}",
                    metadata={"item_id": entry["item_id"], "order": order, "count": entry["count"]},
                )
            )
    config = GenerateConfig(max_tokens=TOKENS, temperature=0)
    return Task(dataset=samples, solver=generate(), scorer=pattern(LETTER, ignore_case=False), config=config)
'''
