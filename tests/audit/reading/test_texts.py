"""What is read of a text, met for the first time or again."""

import numpy as np
import pytest

from dpspectra.audit.reading import labels, texts
from dpspectra.audit.reading.labels import text_label
from dpspectra.audit.reading.texts import WORDS, read_text


@pytest.mark.parametrize(
    ("text", "suffix", "numbers"),
    [("no number", ".numbers", None), ("1.5", ".number", 1.5), ("from 1 to -2e3", ".numbers", [1.0, -2000.0])],
)
def test_words_and_numbers_are_read(text, suffix, numbers):
    for _ in range(2):  # the second time from memory
        found = read_text(text)
        assert (found.whole, found.suffix) == (text_label(repr(text)), suffix)
        assert found.numbers is None if numbers is None else np.array_equal(found.numbers, numbers)
        words = text.split() if " " in text else []
        assert found.members == {text_label(repr(each)) for each in [text, *words]}


def test_a_long_text_is_no_member_itself():
    text = "a " * WORDS
    assert read_text(text).members == {text_label(repr("a"))}


def test_what_is_remembered_can_still_be_named(monkeypatch):
    """However many other labels were met in between."""
    name = read_text("a word").whole
    monkeypatch.setattr(labels, "readable", shown := {})
    monkeypatch.setattr(labels, "NAMES", 3)
    assert texts.read_text("a word").whole == name
    assert shown[name] == "'a word'"
