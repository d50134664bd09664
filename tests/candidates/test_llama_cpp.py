"""A real llama.cpp server (xllamacpp) on the loopback: every step that it does gives what the same file read by us gives.

SmolLM2's file is quantised, and llama.cpp rounds what flows between its layers too; so the file is written once more with its weights as
plain numbers, and both sides read that. The server stands without flash attention (which costs 1e-2 a text) and with a cache of 32 bits; what
is left is its softmax, which sums 49,152 numbers in 32 bits: the probabilities that it tells add up to 1.0003.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scenarist.networks.addresses.base import CANARIES, Continuations
from scenarist.networks.addresses.local import GgufModel
from scenarist.networks.addresses.server import ServedModel
from scenarist.networks.gguf import Gguf
from tests.candidates.llama_server import start_llama_server

pytest.importorskip("xllamacpp")
gguf = pytest.importorskip("gguf")
pytest.importorskip("torch")
pytestmark = [pytest.mark.neural, pytest.mark.slow]

PIECES = [
    "the dog",
    "a letter",
    "her brother",
    "the old car",
    "some bread",
    "the garden",
    "a blue coat",
    "the teacher",
    "his phone",
    "two tickets",
]
VERBS = ["found", "lost", "sold", "wanted", "forgot", "carried", "liked", "broke", "bought", "cleaned"]


def texts(count: int) -> list[Continuations]:
    """Beginnings with two endings each, of our own making."""
    out = []
    for number in range(count):
        thing, other = PIECES[number % 10], PIECES[(number * 7 + 3) % 10]
        verb, later = VERBS[(number // 10) % 10], VERBS[(number * 3 + 1) % 10]
        out.append(
            Continuations(
                f"Ann {verb} {thing} on day {number}.", (f" Then she {later} {other}.", f" It rained on {thing}.")
            )
        )
    return out


@pytest.fixture(scope="module")
def plain_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2 with its weights as 32-bit numbers."""
    given = Path(os.environ.get("SMOLLM2_GGUF", ""))
    if not given.is_file():
        pytest.skip("SmolLM2 is not here (scenarist get smollm2)")
    source, path = Gguf(given), tmp_path_factory.mktemp("model") / "plain.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    reader = gguf.GGUFReader(given)
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name in ("general.architecture", "general.file_type"):
            continue
        kind = field.types[0]
        inner = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), kind, inner)
    for name in source.names:
        writer.add_tensor(name, np.ascontiguousarray(source.tensor(name), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def server(plain_file: Path) -> Iterator[str]:
    held = start_llama_server(plain_file, exact=True)
    yield f"{held.listening_address}/v1#"
    del held


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENARIST_HOME", str(tmp_path))


def test_two_hundred_endings_by_token_grammar_are_ours(server: str, plain_file: Path) -> None:
    asked = texts(100)
    served = ServedModel(server, concurrency=2).ready()
    assert served.step == "token-grammar"
    assert "ignored" in served.tried["echo"] and "ignored" in served.tried["prompt-logprobs"]
    ours = GgufModel(str(plain_file)).logps(asked)
    pairs = [pair for row in zip(served.logps(asked), ours, strict=True) for pair in zip(*row, strict=True)]
    assert len(pairs) == 200
    assert all(there.tokens == here.tokens for there, here in pairs)
    worst = max(abs(there.logp - here.logp) / here.tokens for there, here in pairs)
    assert worst < 3e-4, f"largest difference a piece: {worst}"
    assert max(abs(there.logp - here.logp) for there, here in pairs) < 2e-3


def test_the_vocabulary_walk_gives_the_same(server: str) -> None:
    asked = texts(3)
    grammar = ServedModel(server).ready().logps(asked)
    walk = ServedModel(server, "vocabulary-walk").ready().logps(asked)
    for first, second in zip(grammar, walk, strict=True):
        assert [score.logp for score in first] == pytest.approx([score.logp for score in second], abs=2e-3)


def test_a_text_is_cut_into_the_server_s_pieces(server: str, plain_file: Path) -> None:
    served, ours = ServedModel(server).ready(), GgufModel(str(plain_file))
    for text in ("Ann ran.", " It's 5pm; don't.", "One line\nand  another\n\n", "A", " café “quoted”…"):
        assert served.ask("/tokenize", {"content": text}, root=True)["tokens"] == ours.encode(text)


def test_letters_through_the_chat_template_are_the_server_s(server: str, plain_file: Path) -> None:
    question = "Which of these can one drink?\nA. milk\nB. gravel\nAnswer with the letter alone.\nAnswer:"
    (there,) = ServedModel(server, "letters").ready().letters([question], "AB")
    (here,) = GgufModel(str(plain_file)).letters([question], "AB")
    assert there == pytest.approx(here, abs=5e-3)


@pytest.mark.parametrize("step", ["letters", "text"])
def test_letters_and_text_are_asked_by_the_server_s_own_template(server: str, step: str) -> None:
    served = ServedModel(server, step).ready()
    assert (served.step, served.chat) == (step, "server")
    if step == "letters":
        ((first, second),) = served.letters(["Is it A or B? Answer with A or B."], "AB")
        assert first < 0 and second < 0
    else:
        assert served.write(["Say one word."], 4)[0]


def test_it_is_the_library_s_number_too(plain_file: Path) -> None:
    transformers = pytest.importorskip("transformers")
    import torch

    from scenarist.networks.gguf import llama_config, llama_state, load_tokenizer

    source = Gguf(plain_file)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**llama_config(source))).eval()
    state = {name: torch.tensor(weight) for name, weight in llama_state(source).items()}
    model.load_state_dict(state, strict=False)
    tokenizer = load_tokenizer(plain_file)
    ours = GgufModel(str(plain_file)).logps(list(CANARIES))
    for canary, scores in zip(CANARIES, ours, strict=True):
        before = tokenizer.encode(canary.prompt).ids
        for text, score in zip(canary.texts, scores, strict=True):
            after = tokenizer.encode(text).ids
            with torch.inference_mode():
                levels = model(torch.tensor([before + after])).logits[0].log_softmax(-1)
            theirs = sum(float(levels[len(before) - 1 + place, token]) for place, token in enumerate(after))
            assert score.logp == pytest.approx(theirs, abs=1e-3)
