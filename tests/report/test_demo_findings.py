"""What the demonstration says of its findings."""

from tests.support.pages import CLAIM, row


def test_a_row_sums_up_its_releases():
    summed = row((1.0, 0.5), (2.0, 3.0), (3.0, 0.25), impossible=0.125)
    assert (summed.guaranteed, summed.true, summed.errors) == (2.0, 0.5, (0.25, 0.5, 3.0))
    assert (summed.exceeded, summed.zero, summed.impossible) == (1, 7.0, 0.125)
    assert (summed.epsilon, summed.relation, summed.labels) == (1.0, "replace", CLAIM.labels)
