"""Plants a thousandth less of noise wherever noise is scaled, and lists the mechanisms whose rows in the table notice.

    python -m bench.short_noise [--share 0.999] [--only WORD ...]

Each fault stands alone in a copy of the sources, where all rows of `tests.support.noise_table` are computed again. The
last table has every mechanism in both arithmetics, and how many faults it noticed; there must be one at least for each,
and every fault must be noticed. Half a minute a fault at most; exits with 1 otherwise.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from dpspectra.ground.progress import progress

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "reference"
FAULTS = (
    # drawn in floats
    ("fast/shaped.py", "rng.normal(scale=scale, size", "rng.normal(scale=scale * SHARE, size"),
    ("fast/shaped.py", "rng.choice([-scale, scale])", "SHARE * rng.choice([-scale, scale])"),
    ("fast/knorm.py", "= scale * proposals", "= SHARE * scale * proposals"),
    ("fast/vector_noise.py", "(scale * rng.gamma(d)", "(SHARE * scale * rng.gamma(d)"),
    ("fast/vector_noise.py", "rng.normal(scale=scale, size=d)", "rng.normal(scale=scale * SHARE, size=d)"),
    ("matrices/blocks.py", "noise *= scale", "noise *= SHARE * scale"),
    ("mechanisms/noises/gaussian.py", "rng.normal(scale=scale", "rng.normal(scale=SHARE * scale"),
    ("mechanisms/noises/laplace.py", "rng.laplace(scale=scale", "rng.laplace(scale=SHARE * scale"),
    (
        "mechanisms/noises/symmetric_wishart.py",
        "for sign in (scale, -scale)",
        "for sign in (SHARE * scale, -SHARE * scale)",
    ),
    ("mechanisms/wishart.py", "scale * (bartlett(", "SHARE * scale * (bartlett("),
    ("mechanisms/added_noise.py", "law.ideal(d, scale / n", "law.ideal(d, SHARE * scale / n"),
    ("mechanisms/mean.py", "law.ideal(d, law.scale / n", "law.ideal(d, SHARE * law.scale / n"),
    ("mechanisms/spectrum.py", "rng.laplace(scale=scale(", "rng.laplace(scale=SHARE * scale("),
    ("mechanisms/measurements.py", "rows[part] += scale *", "rows[part] += SHARE * scale *"),
    ("mechanisms/power_rounds.py", "(x), scale, self._stream", "(x), SHARE * scale, self._stream"),
    # drawn in certified arithmetic
    ("certified/noise.py", "_noisy(_laplace_numbers(words), ratio", "_noisy(_laplace_numbers(words), SHARE * ratio"),
    ("certified/noise.py", "_noisy(_normal_numbers(words), ratio", "_noisy(_normal_numbers(words), SHARE * ratio"),
    ("certified/noise.py", "estimate[upper] * ratio", "estimate[upper] * SHARE * ratio"),
    ("certified/shaped.py", "estimate * ratio +", "estimate * SHARE * ratio +"),
    ("certified/shaped.py", "estimate[upper] * ratio", "estimate[upper] * SHARE * ratio"),
    ("certified/knorm.py", "total * balls.exact(ratio)", "total * balls.exact(SHARE * ratio)"),
    ("certified/l2_gamma.py", "(total / length * ratio)", "(total / length * SHARE * ratio)"),
    ("certified/spectrum.py", "estimate + drawn * ratio", "estimate + drawn * SHARE * ratio"),
    ("mechanisms/noises/gaussian.py", "noise.gaussian(steps, ratio", "noise.gaussian(steps, SHARE * ratio"),
    ("mechanisms/noises/laplace.py", "noise.laplace(steps, ratio", "noise.laplace(steps, SHARE * ratio"),
    ("mechanisms/noises/symmetric_wishart.py", "d + 1, ratio, (1, -1)", "d + 1, SHARE * ratio, (1, -1)"),
    ("mechanisms/wishart.py", "degrees, ratio, (1,)", "degrees, SHARE * ratio, (1,)"),
    ("mechanisms/added_noise.py", "math.ldexp(scale, -exponent), draw", "SHARE * math.ldexp(scale, -exponent), draw"),
    ("mechanisms/mean.py", "math.ldexp(law.scale, -step)", "SHARE * math.ldexp(law.scale, -step)"),
    ("mechanisms/spectrum.py", "math.ldexp(b, -exponent)", "SHARE * math.ldexp(b, -exponent)"),
    ("mechanisms/measurements.py", "math.ldexp(scale, -exponent)", "SHARE * math.ldexp(scale, -exponent)"),
    ("mechanisms/power_rounds.py", "math.ldexp(scale, -exponent)", "SHARE * math.ldexp(scale, -exponent)"),
    # the scale itself
    ("certified/calibrate.py", "return scale\n", "return SHARE * scale\n"),
    ("mechanisms/gaussian_mu.py", "*privacy, mu_for(*privacy))", "*privacy, mu_for(*privacy)) / SHARE"),
    ("mechanisms/gaussian_mu.py", "mu * math.sqrt(share))", "mu * math.sqrt(share)) / SHARE"),
    ("mechanisms/noises/gaussian.py", "* square**2, mu)", "* square**2 * Fraction(SHARE) ** 2, mu)"),
    ("mechanisms/noises/laplace.py", "unit = square /", "unit = Fraction(SHARE) * square /"),
    ("mechanisms/noises/symmetric_wishart.py", "unit = square /", "unit = Fraction(SHARE) * square /"),
    ("mechanisms/noises/knorm.py", "exact = square /", "exact = Fraction(SHARE) * square /"),
    ("mechanisms/wishart.py", "** 2 / Fraction(shift)", "** 2 / Fraction(shift) * Fraction(SHARE)"),
    ("mechanisms/mean.py", "reach = 2 * Fraction(norm_bound)", "reach = 2 * Fraction(SHARE) * Fraction(norm_bound)"),
    (
        "mechanisms/measurements.py",
        "* noise_for(epsilon, delta, width, mu)",
        "* noise_for(epsilon, delta, width, mu) * SHARE",
    ),
    ("mechanisms/measurements.py", "leverage_sensitivity(basis) / mu", "leverage_sensitivity(basis) / mu * SHARE"),
    ("certified/sketch.py", "return scale\n", "return SHARE * scale\n"),
    ("certified/sketch.py", "* change**2, mu)", "* (change * Fraction(SHARE)) ** 2, mu)"),
    (
        "mechanisms/measurements.py",
        "mu, longer, candidate)) * self.change",
        "mu, longer, candidate)) * self.change * Fraction(SHARE)",
    ),
    ("mechanisms/power_plan.py", "self.rounds**2 * square", "Fraction(SHARE) ** 2 * self.rounds**2 * square"),
    ("mechanisms/power_plan.py", "(self.rounds * square", "(Fraction(SHARE) ** 2 * self.rounds * square"),
    ("mechanisms/orbit_low_rank.py", "Fraction(first), relation, draw", "Fraction(first / SHARE), relation, draw"),
    ("mechanisms/orbit_low_rank.py", "rest = Fraction(epsilon) -", "rest = Fraction(epsilon / SHARE) -"),
    ("mechanisms/centred_pca.py", "norm_bound, FOR_THE_MEAN)", "norm_bound, FOR_THE_MEAN / Fraction(SHARE))"),
    ("mechanisms/centred_pca.py", '"replace", 1 - FOR_THE_MEAN)', '"replace", (1 - FOR_THE_MEAN) / Fraction(SHARE))'),
    ("mechanisms/centred_pca.py", "privacy, Fraction(2)", "privacy, 2 * Fraction(SHARE)"),
    # temperatures
    ("mechanisms/orbit_law.py", "float(epsilon), relation))", "float(epsilon), relation)) / SHARE"),
    ("mechanisms/orbit_law.py", "calibrate.at_most(inverse", "calibrate.at_most(Fraction(1 / SHARE) * inverse"),
    ("mechanisms/row_counting.py", "_lines(rows), kappa, radius", "_lines(rows), kappa / SHARE, radius"),
)
"""Modules, a piece of text that each has once, and what replaces it."""
ROWS = """
import json, sys, warnings
warnings.simplefilter("ignore")
from tests.whole.test_noise import CASES, agrees, expected, parts, released
from tests.support.noise_table import ROWS

def holds(row, certified):
    try:
        return agrees(parts(released(row, certified)[0].value), expected(row, certified)[0], certified)
    except AssertionError:  # other numbers or words were drawn
        return False

json.dump([(row.name, c, holds(row, c)) for row in ROWS for c in row.certified], sys.stdout)
"""


def noticed(tree: Path, place: str, old: str, new: str, share: float) -> Counter[str]:
    """How many rows of each mechanism and arithmetic notice a fault."""
    path = tree / "dpspectra" / place
    text = path.read_text()
    assert text.count(old) == 1, (place, old)
    path.write_text(text.replace(old, new.replace("SHARE", repr(share))))
    try:
        run = subprocess.run(
            [sys.executable, "-c", ROWS],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), str(ROOT)])},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    finally:
        path.write_text(text)
    found = Counter[str]()
    for name, certified, holds in json.loads(run.stdout):
        found[f"{name}, {'certified' if certified else 'ideal'}"] += not holds
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.999)
    parser.add_argument("--only", nargs="*", default=[""])
    options = parser.parse_args()
    faults = [fault for fault in FAULTS if any(word in fault[0] for word in options.only)]
    total, unseen = Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder, progress(len(faults), "faults") as bar:
        tree = Path(shutil.copytree(SOURCES, Path(folder) / "reference"))
        for place, old, new in faults:
            rows = noticed(tree, place, old, new, options.share)
            seen = [name for name, count in rows.items() if count]
            unseen += not seen
            total.update(dict.fromkeys(rows, 0) | dict.fromkeys(seen, 1))
            print(f"{place}: {new.strip()}: {'; '.join(seen) or 'NOT NOTICED'}", flush=True)
            bar.advance(place)
    print()
    for name in total:
        print(f"| {name} | {total[name]} |")
    return int(unseen > 0 or not all(total.values()))


if __name__ == "__main__":
    sys.exit(main())
