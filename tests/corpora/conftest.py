from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def load_samples() -> ModuleType:
    spec = importlib.util.spec_from_file_location("corpus_samples", Path(__file__).parent / "samples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = load_samples().write_all(tmp_path_factory.mktemp("samples"))
    return folder


@pytest.fixture
def samples(sample_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The samples as the only search path."""
    monkeypatch.setenv("SCENARIST_DATA", str(sample_folder))
    return sample_folder
