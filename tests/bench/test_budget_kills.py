"""The script that kills who pays from a budget: what it counts, and that it can fail."""

from bench import budget_kills


def test_what_a_trial_of_kills_counts(tmp_path, monkeypatch, capsys):
    """One writer without a kill; a log that claims more was seen than was paid, and a budget that holds too little."""
    assert budget_kills.trial(tmp_path / "a", 1, 4, 0, 1) == []
    assert "4 releases seen" not in capsys.readouterr().out  # the last one does not fit
    with monkeypatch.context() as patch:
        patch.setattr(budget_kills, "SHARE", 2.0)
        assert budget_kills.trial(tmp_path / "b", 1, 2, 0, 1) == ["something was left, though more was asked for"]
