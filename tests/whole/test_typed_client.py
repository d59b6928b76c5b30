"""What a type checker tells someone who uses the package: the real signatures, and every mistake."""

import os
import re
import subprocess
import sys
from types import ModuleType

import pytest

import dpspectra as dps
from tests.support.helpers import ROOT

CLIENT = """
import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import dpspectra as dps
from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateTruncatedSVD

X = np.eye(6)[:, :3] / 2
M: NDArray[np.float64] = X.T @ X
version: str = dps.__version__


def chunks() -> Iterator[NDArray[np.float64]]:
    yield X
    yield X


def noise(number: int, x: NDArray[np.float64], ax: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.1 * ax


release: dps.Release[NDArray[np.float64]] = dps.private_pca(X, 1, epsilon=1.0, rng=np.random.default_rng(0))
claim: dps.Claim = release.claim
epsilon: float = claim.epsilon
record = claim.asdict()
both: dps.Claim = dps.compose([claim, release], delta=1e-6, method="basic")
stored: NDArray[np.float64] = dps.read_release("axes.npy").value
rho: float = dps.convert("rho", epsilon=1.0, delta=1e-6, largest=True)
north: dps.Budget = dps.Budget(rho=rho, parts=["north", "south"]).part("north").noted(by="Ann")
amount: float | None = north.left.rho
budget = dps.Budget(1.0, 1e-6, relation="replace", method="best", file=None)
try:
    budget.spend(claim)
    paid: dps.Release[NDArray[np.float64]] = budget.release(dps.private_pca, X, 1, epsilon=0.5)
except dps.BudgetError as error:
    print(error, budget.left.epsilon, budget.spent.delta, budget.claims[0].relation)
guarantee = release.details["guarantee"]
assert isinstance(guarantee, dps.Guarantee)
bound: float = guarantee.bound
directions: NDArray[np.float64] = release.value.T
again = dps.Release.from_json(release.to_json())
lines: list[str] = again.summary().splitlines()
warnings.simplefilter("error", dps.ReusedSeedWarning)
repeated: dps.Release[NDArray[np.float64]] = dps.laplace_covariance(X, epsilon=1.0, rng=dps.Entropy(bytes(32)))
covariances = [
    dps.laplace_covariance(chunks(), 1.0, denoise="psd", rng=3),
    dps.gaussian_covariance([[0.5, 0.5], [0.0, 1.0]], 1.0, 1e-6, relation="replace"),
    dps.symmetric_wishart_covariance(X, 1.0),
    dps.knorm_covariance(X, 1.0, denoise="shrink"),
    dps.wishart_covariance(X, 1.0, 1e-6, degrees_of_freedom=12),
]
advice = dps.advise("pca", d=3, k=1, n=6, epsilon=1.0)
fine: bool = dps.check(np.eye(3), norm_bound=2.0).fine
expected: float = advice[0].expected_error
nearest: NDArray[np.float64] = dps.postprocessing.best_rank(M, 1)
normalised: NDArray[np.float64] = dps.unit_rows(X)
short = dps.symmetric_wishart_covariance(dps.clipped_rows(X, 0.5), 1.0, norm_bound=0.5)
total: NDArray[np.float64] = covariances[0].value + covariances[1].value
low_rank = dps.private_low_rank(dps.Matrix(M), 2, 1.0, split=0.5, field="complex")
counted: NDArray[np.float64] = dps.row_counting_direction(X, 1.0, aligned=3).value
orbit = dps.private_orbit(dps.Matrix(M), [1.0, 0.0, 0.0], 1.0, trace=6.0)
values: NDArray[np.float64] = dps.private_spectrum(dps.Matrix(M), 2, 1.0).value


def keep(state: dps.PowerState) -> None:
    print(state.rounds, state.claim.epsilon, state.largest_entry)


rounds: int = dps.sufficient_iterations(3, 1, ratio=0.5, accuracy=0.1)
block: NDArray[np.float64] = dps.noisy_power_method(M, 1, iterations=rounds, noise=noise, start=np.eye(3)[:, :2])
try:
    dps.private_power_method(
        M, 1, 1.0, 1e-6, iterations=3, scale="fixed", entry_bound=1.0, dtype=np.float32, checkpoint=keep
    )
except dps.LargeEntryError as error:
    print(error)
stream: dps.StreamingPowerMethod = dps.streaming_power_method(chunks(), 1, rows_per_round=4)
basis: NDArray[np.float64] = stream.partial_fit(X).basis
finder: NDArray[np.float64] = dps.randomized_range_finder(X, 1)
projected = dps.private_projection(X, dps.private_range_finder(X, 1, 1.0, 1e-6).value, 1.0, 1e-6)
product: NDArray[np.float64] = projected.value.truncated(1).toarray()
pruned = dps.project_find_prune(X, 1, 1.0, 1e-6, row_bound=1.0)
response = dps.randomized_response_low_rank(X, 1, 1.0, 1e-6)
distance: float = response.value.frobenius_distance(X)

sigma: float = dps.calibrate.gaussian(1.0, 1e-6, sensitivity=1.0)
delta = float(dps.profile.gaussian(1.0, sensitivity=1.0, sigma=sigma))
gap: float = dps.bounds.orbit_utility(3, 1, [2.0], 1.0).guaranteed
angle: float = dps.angles.principal(directions.T, directions.T).max()
matrices: NDArray[np.complex128] = dps.sampling.haar(3, size=2, rng=0)
subspaces: NDArray[np.float64] = dps.sampling.frames(M, 2, 1.0, size=4, field="real", rng=0)
result: dps.audit.AuditResult = dps.audit.audit(lambda x: x, (0.0, 1.0), 1.0)
violated: bool = result.violated
statement: dps.ledger.Statement = dps.ledger.get("JXZ-T1")
strategy = dps.strategies.hermitian(3, "complex").map(lambda h: h)
middle: NDArray[np.float64] = dps.private_mean(X, 1.0, 1e-6, norm_bound=2.0).value
about: dps.Release[NDArray[np.float64]] = dps.private_pca(X, 1, 1.0, center="pairs")
model: PrivatePCA = PrivatePCA(1, epsilon=1.0, center="none", rows="unit").fit(X).partial_fit(X)
promised: dps.Claim = model.claim_
found: dps.Guarantee | None = PrivateCovariance(epsilon=1.0, denoise="psd").fit(X).guarantee_
axes: NDArray[np.float64] = PrivateTruncatedSVD(1, epsilon=1.0, delta=1e-6, iterations=3).fit(X).components_
variances: NDArray[np.float64] = model.explained_variance_
same: dps.Claim = dps.mechanisms.private_pca(X, 1, 1.0).claim
bounds: dps.ColumnBounds = dps.ColumnBounds([0, 0, 0], [1, 2, 3])
sums: dps.Moments = dps.Moments.of(X, rows="clip", bounds=bounds) + dps.Moments.empty(3, rows="clip", bounds=bounds)
width: int = sums.terms.width
mean, squares = dps.private_moments(sums, 1.0).value
centre, spreads = dps.private_scaler(X, 1.0).value
shared: dps.Release[NDArray[np.float64]] = dps.private_covariance(X, 1.0)
seen: NDArray[np.float64] = dps.private_score_histogram(X, 1.0, np.eye(3, 2), (-1.0, 1.0, -1.0, 1.0)).value
threshold, counts = dps.private_norm_bound(X, 1.0, lower=0.25, upper=4.0).value
for derived in (dps.precision(shared), dps.whitening(shared), dps.correlation(shared), dps.explained_ratio(shared)):
    same_claim: dps.Claim = derived.claim
sides = dps.private_power_method(X, 2, 1.0, relation="entry", iterations=2, low_rank=True)
tastes: NDArray[np.float64] = dps.factors(sides, 1).value.right
ends: NDArray[np.float64] = dps.eigenvalue_intervals(shared).shares
parts: NDArray[np.float64] = dps.components(shared, 1).value
"""
"""A correct program that names everything in ``dps.__all__``."""

MISTAKES = """
import numpy as np

import dpspectra as dps
from dpspectra.estimators import PrivatePCA

X = np.eye(3)
release = dps.private_pca(X, 1, 1.0)
dps.nope  # misspelt
dps.private_pca(X, 1, 1.0, norm=2.0)  # wrong keyword
dps.private_pca(X, 1, "1.0")  # a string for epsilon
count: int = dps.private_pca(X, 1, 1.0)  # wrong use of what is returned
dps.gaussian_covariance(X, 1.0)  # delta is missing
text: str = release.claim.epsilon  # wrong type of an attribute
dps.mechanisms.nope  # misspelt in a room
dps.laplace_covariance(X, 1.0, rng="seed")  # no source of randomness
columns: str = release.value  # wrong type of the value
PrivatePCA(1, 1.0)  # epsilon must be named
PrivatePCA(1, epsilon=1.0, rows=2)  # a number for a choice
dps.noisy_power_method(3j, 1, iterations="3")  # a string for a number of rounds
"""


def public_names():
    """Names of the package, and of its rooms."""
    for name in dps.__all__:
        yield f"dps.{name}"
        room = getattr(dps, name)
        if isinstance(room, ModuleType):
            yield from (f"dps.{name}.{inner}" for inner in room.__all__)


NAMES = list(public_names())


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What mypy says of each program, by line: its name, and messages by line number."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("client")
    programs = {
        "client": CLIENT,
        "mistakes": MISTAKES,
        "names": "\n".join(["import dpspectra as dps", *(f"reveal_type({name})" for name in NAMES)]),
    }
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    options = ["--strict", "--follow-imports=silent", "--config-file=", "--cache-dir", str(folder / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in programs)],
        cwd=folder,
        env=os.environ | {"MYPYPATH": str(ROOT / "reference")},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr + done.stdout
    said = {name: {} for name in programs}
    for program, line, message in re.findall(r"^(\w+)\.py:(\d+): (.*)$", done.stdout, re.MULTILINE):
        said[program].setdefault(int(line), []).append(message)
    return said


def test_a_correct_program_passes(reports):
    assert reports["client"] == {}


def test_the_correct_program_uses_every_public_name():
    assert [name for name in dps.__all__ if not re.search(rf"\bdps\.{name}\b", CLIENT)] == []


def test_every_mistake_is_named(reports):
    wrong = [number for number, line in enumerate(MISTAKES.splitlines(), 1) if "#" in line]
    assert [number for number, messages in reports["mistakes"].items() if "error" in " ".join(messages)] == wrong


WITHOUT_TYPE = {f"dps.ledger.{name}" for name in ("Column", "Matrix", "Real", "Reals")}
"""Values of mpmath, which has no types."""


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_TYPE])
def test_every_public_name_has_a_type(reports, name):
    (message,) = reports["names"][NAMES.index(name) + 2]
    revealed = re.search(r'Revealed type is "(.*)"', message)
    assert revealed, message
    assert revealed[1] != "Any"
    is_function = callable(getattr(dps, name.removeprefix("dps."), None)) and name.removeprefix("dps.")[0].islower()
    assert not (is_function and revealed[1].endswith("-> Any"))
