"""Models in this process: a GGUF file and the folder it was made from give the same pieces, the same numbers, the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("gguf")
pytestmark = pytest.mark.neural

from scenarist.errors import BadInput, Missing  # noqa: E402
from scenarist.networks.addresses.base import Continuations  # noqa: E402
from scenarist.networks.addresses.local import GgufModel, LibraryScorer  # noqa: E402
from scenarist.networks.gguf import load_tokenizer  # noqa: E402
from scenarist.store.home import digest  # noqa: E402
from scenarist.verbs.fill import fill  # noqa: E402
from tests.candidates.tiny_gguf import write_tiny_gguf  # noqa: E402
from tests.candidates.tiny_model import write_tiny_model  # noqa: E402

ASKED = [
    Continuations("Mia planted a seed.", (" She watered it.", " Tom lost his key at the beach, and it rained.", " It")),
    Continuations("Tom lost his key.", (" She was glad.",)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def file(folder: Path) -> Path:
    return write_tiny_gguf(folder, folder / "tiny.gguf")


def test_both_ways_to_read_a_model_give_the_same_numbers(folder: Path, file: Path) -> None:
    ours, theirs = GgufModel(str(file)), LibraryScorer(str(folder), device="cpu")
    for text in ("Mia watered it.", " lost", "5pm; café", "one\n two"):
        assert ours.encode(text) == theirs.encode(text)
        assert ours.decode(ours.encode(text)) == text
    for here, there in zip(ours.logps(ASKED), theirs.logps(ASKED), strict=True):
        assert [score.tokens for score in here] == [score.tokens for score in there]
        assert [score.logp for score in here] == pytest.approx([score.logp for score in there], abs=1e-3)
    (here,), (there,) = (model.letters(["It was A or B: "], "AB") for model in (ours, theirs))
    assert here == pytest.approx(there, abs=1e-3)


def test_a_continuation_is_the_sum_of_its_pieces_whatever_stands_beside_it(folder: Path) -> None:
    model = LibraryScorer(str(folder), device="cpu")
    together = model.logps(ASKED)[0]
    for text, score in zip(ASKED[0].texts, together, strict=True):
        trunk, total = model.trunk(ASKED[0].prompt), 0.0
        for piece in model.encode(text):
            total += float(model.next_levels(trunk)[piece])
            trunk = [*trunk, piece]
        assert score.logp == pytest.approx(total, abs=1e-3)


def test_the_piece_that_begins_a_text_stands_where_the_file_says_so_or_nothing_stands_before(
    folder: Path, file: Path, tmp_path: Path
) -> None:
    plain, begun = GgufModel(str(file)), GgufModel(str(write_tiny_gguf(folder, tmp_path / "bos.gguf", begins=True)))
    ids = plain.encode("Mia")
    assert plain.trunk("Mia") == ids and plain.trunk("") == [0]
    assert begun.trunk("Mia") == [0, *ids] and begun.trunk("") == [0]


def test_a_file_is_known_by_eight_letters_of_its_digest(file: Path) -> None:
    model = GgufModel(str(file))
    assert model.identity == digest(file)[:8] and len(model.identity) == 8
    assert model.most == 1024 and model.name == "tiny.gguf"


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"There is no folder .*Expected hf:FOLDER with config"):
        LibraryScorer(str(tmp_path / "nowhere"), device="cpu").logps(ASKED)


def test_what_is_longer_than_the_model_reads_is_named(file: Path) -> None:
    with pytest.raises(BadInput, match=r"tokens, and tiny\.gguf takes 1024"):
        GgufModel(str(file)).logps([Continuations("Mia. " * 600, (" It.",))])


def test_a_file_that_does_not_say_what_each_piece_is_is_not_read(folder: Path, tmp_path: Path) -> None:
    path = write_tiny_gguf(folder, tmp_path / "short.gguf", kinds=100)
    with pytest.raises(ValueError, match="shorter"):
        load_tokenizer(path)


def test_a_language_model_ranks_what_the_counts_propose(file: Path) -> None:
    chain = "order:subj eat:subj ?"
    filled, counted = fill(chain, model=f"gguf:{file}", top=40), fill(chain, top=40)
    assert {option.event for option in filled.candidates} == {option.event for option in counted.candidates}
    assert [option.event for option in filled.candidates] != [option.event for option in counted.candidates]
    assert {option.votes for option in filled.candidates} == {("the language model",)}
    levels = [option.logp for option in filled.candidates]
    assert levels == sorted(levels, reverse=True)
    with pytest.raises(BadInput, match="does not rank events"):
        fill(chain, model="ngram-overlap")
