"""The cache of readings remembers, and survives damage."""

from __future__ import annotations

from pathlib import Path

from scenarist.store.readings import Cache, key
from scenarist.story import Story


def test_the_cache_remembers_and_survives_damage(tmp_path: Path) -> None:
    path = tmp_path / "reading.sqlite"
    story = Story("s", "Ann ran.")
    name = key("default|1", "Ann ran.")
    assert name != key("default|2", "Ann ran.")
    cache = Cache(path)
    cache.put({name: story})
    cache.close()
    again = Cache(path)
    assert again.get([name, b"other"]) == {name: story}
    assert again.base is not None
    again.base.execute("UPDATE reading SET story = x'00'")
    assert again.get([name]) == {}
    again.close()
    path.write_bytes(b"this is no database at all, but long enough to look like one" * 30)
    broken = Cache(path)
    assert broken.get([name]) == {}
    broken.put({name: story})
    broken.close()
