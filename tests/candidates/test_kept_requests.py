"""A run of a thousand questions is killed; the same command goes on and asks for nothing again that was answered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from scenarist.store.requests import RequestLog
from tests.candidates.small_server import SmallServer

QUESTIONS, AT_ONCE = 1000, 4
PROGRAM = """
import sys
from scenarist.registry import make
from scenarist.question import Choice
model = make("model", sys.argv[1], how="sum", concurrency=int(sys.argv[2]))
questions = [Choice((f"Day {day} came.",), ("It rained hard.", "The sun was out.")) for day in range(int(sys.argv[3]))]
answers = model.answer_many(questions)
print(sum(len(answer.guesses) == 2 for answer in answers))
"""


def start(server: SmallServer, home: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "SCENARIST_HOME": str(home)}
    command = [sys.executable, "-c", PROGRAM, server.address, str(AT_ONCE), str(QUESTIONS)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_killed_run_goes_on_with_no_request_doubled(tmp_path: Path) -> None:
    with SmallServer(delay=0.001) as server:
        first = start(server, tmp_path)
        deadline = time.monotonic() + 120
        while len(server.requests) < 700 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        (path,) = (tmp_path / "requests").glob("*.jsonl")
        kept = sum(b'"answer"' in line for line in path.read_bytes().splitlines())
        assert 0 < kept < 2 * QUESTIONS
        second = start(server, tmp_path)
        out, err = second.communicate(timeout=300)
        assert out.strip() == str(QUESTIONS), err
        prompts = Counter(
            request["body"]["prompt"] for request in server.requests if "Day" in str(request["body"].get("prompt"))
        )
    assert len(prompts) == 2 * QUESTIONS
    doubled = sum(count - 1 for count in prompts.values())
    assert doubled <= AT_ONCE, "only what was on its way when it was killed may be asked again"
    answers = [json.loads(line) for line in path.read_bytes().splitlines() if b'"answer"' in line]
    assert len({entry["key"] for entry in answers}) == len(answers) == 2 * QUESTIONS


def test_a_torn_line_is_passed_over_and_the_next_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = RequestLog("http://a/v1", "m", path)
    log.know((-1.0, -2.0))
    log.keep({"path": "/x", "body": {"temperature": 0}}, {"n": 1})
    log.close()
    path.write_bytes(path.read_bytes() + b'{"key": "torn')
    log = RequestLog("http://a/v1", "m", path)
    assert log.know((-1.01, -2.0)) and log.find({"path": "/x", "body": {"temperature": 0}}) == {"n": 1}
    log.keep({"path": "/y", "body": {"temperature": 0}}, {"n": 2})
    log.close()
    again = RequestLog("http://a/v1", "m", path)
    again.know((-1.0, -2.0))
    assert again.find({"path": "/y", "body": {"temperature": 0}}) == {"n": 2}
    assert again.find({"path": "/y", "body": {"temperature": 0.7}}) is None, (
        "what is drawn by chance is never taken again"
    )


def test_the_canary_tells_models_apart(tmp_path: Path) -> None:
    log = RequestLog("http://a/v1", "m", tmp_path / "log.jsonl")
    log.know((-1.0, -2.0))
    log.keep({"body": {}}, {"n": 1})
    log.know((-1.5, -2.0))
    assert log.find({"body": {}}) is None
