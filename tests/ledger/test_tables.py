"""Tables are read as they are written."""

from dpspectra.ledger import tables


def test_a_table_is_read_as_it_was_written(tmp_path, monkeypatch):
    place = tmp_path / "reference" / "dpspectra" / "ledger"
    place.mkdir(parents=True)
    monkeypatch.setattr("dpspectra.ledger.tables.resources.files", lambda package: place)
    written = tables.text(("label", "reason"), [("X-1", 'a, "b"'), ("X-2", 3)])
    assert written == 'label,reason\nX-1,"a, ""b"""\nX-2,3\n'
    tables.write(tmp_path, "some.csv", written)
    assert tables.rows("some.csv") == [{"label": "X-1", "reason": 'a, "b"'}, {"label": "X-2", "reason": "3"}]
