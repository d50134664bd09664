"""Names are found lazily, typos are answered."""

import pytest

from scenarist.errors import BadInput, Missing
from scenarist.registry import ROOMS, find, index, load, make


@pytest.mark.parametrize("room", ROOMS)
def test_every_target_names_a_module_and_an_object(room):
    for name, target in index(room).items():
        module, colon, thing = target.partition(":")
        assert module.startswith("scenarist.") and colon and thing, name


def test_a_typo_is_answered():
    with pytest.raises(BadInput, match="Did you mean 'majority'"):
        find("model", "majorty")


def test_wrong_settings_are_the_callers_error():
    with pytest.raises(BadInput, match="colour"):
        make("model", "constant", colour="blue")


def test_a_number_in_a_metric_is_its_k():
    assert make("metric", "recall@7").name == "recall@7"


def test_a_missing_extra_names_its_install_line(monkeypatch):
    import builtins

    real = builtins.__import__

    def refuse(name, *rest, **more):
        if name == "torch":
            raise ModuleNotFoundError("no", name="torch")
        return real(name, *rest, **more)

    import importlib

    monkeypatch.setattr(importlib, "import_module", lambda name: refuse("torch"))
    with pytest.raises(Missing, match=r"pip install 'scenarist\[neural\]'"):
        load("scenarist.models.something:Thing")
