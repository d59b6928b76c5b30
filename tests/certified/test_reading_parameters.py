"""Terms of a sum: names of columns."""

import pytest

from dpspectra.certified.reading_parameters import column_names


def test_columns_are_names_that_are_all_different():
    assert column_names(None) is None
    assert column_names(iter(["b", "a"])) == ("b", "a")
    for wrong in ("a", 3, [], ["a", 1], ["a", "b", "a"]):
        with pytest.raises(ValueError, match=r"^columns must be names, all different, got "):
            column_names(wrong)
