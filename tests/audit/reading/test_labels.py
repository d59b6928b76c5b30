"""Labels: texts are kept for people, and addresses in memory say nothing."""

from dpspectra.audit.reading import labels
from dpspectra.audit.reading.labels import has_address, label, named, readable, shown, text_label, without_addresses


def test_texts_that_were_met_last_are_kept(monkeypatch):
    monkeypatch.setattr(labels, "NAMES", len(readable) + 2)
    first = label(b"first of all", "first of all")
    for i in range(5):
        text_label(f"another {i}")
        label(b"first of all", "first of all")  # met again, so it stays
    assert readable[first] == "first of all"
    assert text_label("another 4") in readable
    assert int.from_bytes(b"\0", "little") not in readable
    assert len(readable) <= labels.NAMES


def test_addresses_are_left_out_of_objects_and_never_of_text():
    assert shown(object()) == "<object object at 0x>"
    assert shown((object(), "at 0x12")) == "(<object object at 0x>, 'at 0x12')"
    assert without_addresses("at 0xab; at 0x1>") == "at 0x; at 0x>"
    assert has_address(object())
    assert not has_address(3)


def test_words_of_the_auditor_have_one_label_and_keep_their_text(monkeypatch):
    """Also in a process that met more labels in between than it keeps texts."""
    assert named("nothing") == labels.NOTHING
    monkeypatch.setattr(labels, "readable", {})
    monkeypatch.setattr(labels, "NAMES", 3)
    for i in range(5):
        text_label(f"another {i}")
    assert labels.readable[named("nothing")] == "nothing"
