"""Files are made new: for their owner alone, whole or not at all, and never in place of another one."""

import pytest

from dpspectra.ground import new_files


def test_a_new_file_is_for_its_owner_and_replaces_none(tmp_path):
    path = tmp_path / "sums"
    new_files.write(path, b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError, match=r"path must be that of a new file, got .*sums, which exists"):
        new_files.write(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("given", [3, None, b"sums", ["sums"]])
def test_a_path_is_text_or_a_path(given):
    with pytest.raises(ValueError, match="path must be the name of a file, got "):
        new_files.path_of(given)
