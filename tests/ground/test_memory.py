"""How much memory is free."""

from dpspectra.ground import memory


def test_the_system_says_how_much_memory_is_free(tmp_path, monkeypatch):
    assert memory.available() > 2**20
    monkeypatch.setattr(memory, "Path", lambda name: tmp_path / "no such file")
    assert memory.available() == memory.UNKNOWN
