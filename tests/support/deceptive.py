"""Programs made to deceive an auditor from inside: sound ones that look broken, and leaks that look sound.

Each is true or false on its pair in ideal arithmetic. The auditor must never call a sound one refuted, nor a leak
explained.
"""

# ruff: noqa: NPY002

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A program, its pair, its claim, and whether the claim is true on the pair."""

    mechanism: Callable[..., Any]
    pair: tuple[Any, Any]
    epsilon: float
    delta: float = 0.0
    true: bool = True

    def __str__(self) -> str:
        return self.mechanism.__name__


PROGRAMS: list[Program] = []


def sound(pair, epsilon, delta=0.0):
    """Note a program whose claim is true on the pair."""
    return lambda f: PROGRAMS.append(Program(f, pair, epsilon, delta, True)) or f


def leak(pair, epsilon, delta=0.0):
    """Note a program whose claim is false on the pair."""
    return lambda f: PROGRAMS.append(Program(f, pair, epsilon, delta, False)) or f


# ---------------------------------------------------------------- a look that is no identity


@sound((5.0, -5.0), 1.0)
def absolute_value_after_a_look(x, rng):
    v = float(x + rng.laplace())
    b = bool(rng.random() < 0.5)
    return abs(v), b


@sound((5.0, -5.0), 1.0)
def absolute_value_of_a_symbol(x, rng):
    b = bool(rng.random() < 0.5)
    return abs(x + rng.laplace()), b


@sound((0.0, 1.0), 1.0)
def rounded_after_a_look(x, rng):
    v = float(x + rng.laplace())
    b = bool(rng.random() < 0.5)
    return round(v, 3), b


@sound((0.25, 0.5), 0.6, 0.025)
def replaced_below_a_level(x, rng):
    v = float(x + rng.uniform(0, 10))
    b = bool(rng.random() < 0.5)
    return (v if v > 3 else 0.5), b


# ---------------------------------------------------------------- noise that nobody follows

OUTSIDE = np.random.default_rng()


@sound((0, 1), 1.6)
def flipped_twice(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ bool(OUTSIDE.random() < 0.1)


@sound((0.0, 1.0), 0.2)
def large_location(x, rng):
    return 5e10 + x + rng.laplace(scale=0.001) + OUTSIDE.laplace(scale=10)


class Keeper:
    generator = random.Random()


@sound((0, 1), 1.6)
def flipped_by_an_attribute(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ bool(Keeper.generator.random() < 0.1)


# ---------------------------------------------------------------- seeds and streams


@leak((0.0, 1.0), 1.0)
def seeded_by_a_constant(x):
    np.random.seed(0)
    return x + np.random.laplace()


@leak((0.0, 1.0), 1.0)
def standard_library_seeded(x):
    random.seed(0)
    return x + random.gauss(0, 1)


@leak(([0.0, 0.0], [0.0, 1.0]), 1.0)
def seeds_counted_up(x):
    return [v + np.random.default_rng(i).laplace(scale=2) for i, v in enumerate(x)]


@leak((np.zeros(2), np.ones(2)), 1.0)
def one_stream_twice(x):
    s = time.time_ns()
    a, b = np.random.default_rng(s), np.random.default_rng(s)
    return x.sum() + a.laplace(scale=4), len(x) + x[0] + b.laplace(scale=2)


@leak((np.zeros(1), np.ones(1)), 1.0)
def state_restored(x, rng):
    s = rng.bit_generator.state
    u = x[0] + rng.laplace(scale=2)
    rng.bit_generator.state = s
    return u, 2 * x[0] + rng.laplace(scale=4)


@leak((np.zeros(1), np.ones(1)), 1.0)
def legacy_state_restored(x):
    s = np.random.get_state()
    u = x[0] + np.random.laplace(scale=2)
    np.random.set_state(s)
    return u, 2 * x[0] + np.random.laplace(scale=4)


@leak((0.0, 1.0), 1.0)
def seed_from_the_data(x):
    return x + np.random.default_rng(int(x)).laplace()


# ---------------------------------------------------------------- tolerances


@leak((1.7e9, 1.7e9 + 0.015), 1.0)
def seconds_since_1970(x, rng):
    return x + rng.laplace(scale=1e-4)


@leak((0.0, 1.0), 1.0)
def reused_beside_a_large_number(x, rng):
    z = rng.laplace(scale=1e3)
    return 1.7e12 + z, 1.7e12 + x + z


@leak((0.0, 1.0), 1.0)
def reused_in_small_units(x, rng):
    z = rng.laplace(scale=1e-9)
    return z, 1e-9 * x + z


@leak((1.0, 5.0), 1.0, 0.001)
def tiny_scale_from_the_data(x, rng):
    return rng.normal(scale=1e-9 * x)


@sound((0, 1), 0.3)
def hidden_bit_of_tiny_noise(x, rng):
    w, u = rng.laplace(scale=1e-9), rng.laplace(scale=1e-9)
    b = bool((w if x else u) > 0)
    return w if b else w + 0.0


# ---------------------------------------------------------------- what counts as the same output


@leak(([5550000001], [5550000002]), 1.0)
def large_whole_number(x, rng):
    return {"count": rng.laplace(), "last": int(x[-1])}


@leak(([10**18 + 1], [10**18 + 2]), 1.0)
def whole_number_beyond_floats(x, rng):
    return {"count": rng.laplace(), "last": int(x[-1])}


@leak((3.0, 7.0), 1.0)
def small_beside_large(x, rng):
    return rng.laplace(), np.array([1.7e12, x])


@leak((3.0, 7.0), 1.0)
def imaginary_part(x, rng):
    return rng.laplace(), np.array([1j * x])


@leak((0.0, 1.0), 1.0)
def none_or_nan(x, rng):
    return rng.laplace(), math.nan if x else None


@leak(("0.5", "0.50"), 1.0)
def text_of_a_number(x, rng):
    return rng.laplace(), x


@leak(([1, 2], [1, 2, 3]), 1.0)
def empty_containers(x, rng):
    return {"v": rng.laplace(), "groups": [[] for _ in x]}


@leak(({"a": 1, "b": 2}, {"a": 2, "b": 1}), 1.0)
def order_of_keys(x, rng):
    return dict.fromkeys(sorted(x, key=x.get), 0), rng.laplace()


class Holder:
    value: Any
    raw: Any


@leak((0.0, 1.0), 1.0)
def attribute_beside_the_value(x, rng):
    o = Holder()
    o.value, o.raw = x + rng.laplace(), x
    return o


@leak((0.0, 1.0), 1.0)
def function_that_knows(x, rng):
    return rng.laplace(), lambda: x


# ---------------------------------------------------------------- tails and integrals


@sound((0.0, 0.1), 0.11)
def narrow_and_wide(x, rng):
    rho = rng.laplace()
    return [bool(x + rng.laplace(scale=0.001) > rho) for _ in range(2)]


@sound((0.0, 1.0), 1.0)
def far_steps(x, rng):
    v = x + rng.laplace()
    return next((i for i, e in enumerate((0, 10, 20, 30, 40)) if v < e), 5)


@sound((737.0, 738.0), 1.0)
def sign_far_out(n, rng):
    return bool(n + rng.laplace() > 0)


@sound((744.0, 745.0), 1.0)
def sign_beyond_floats(n, rng):
    return bool(n + rng.laplace() > 0)


@sound((1.9e-7, 0.1 + 1.9e-7), 1.0)
def rounded_location(x, rng):
    return 3e9 + x + rng.laplace(scale=0.1)


# ---------------------------------------------------------------- noise from noise


@sound((0.0, 1.0), 0.8301)
def inverse_transform(x, rng):
    u = rng.random() - 0.5
    return x - 1 / 0.83 * np.sign(u) * np.log(1 - 2 * np.abs(u))


@leak((0.0, 1.0), 0.477)
def inverse_transform_just_below(x, rng):
    u = rng.random() - 0.5
    return x - 1 / 0.48 * np.sign(u) * np.log(1 - 2 * np.abs(u))


@leak((0.0, 1.0), 1.0)
def noise_cut_off(x, rng):
    return x + np.maximum(np.minimum(rng.laplace(), 8.0), -8.0)


@sound((0.0, 1.0), 1.0)
def cauchy_by_tangent(x, rng):
    return x + math.tan(math.pi * rng.random())


@sound((0.0, 1.0), 1.0)
def cauchy_by_tangent_around_zero(x, rng):
    return x + math.tan(math.pi * (rng.random() - 0.5))


@leak((0.0, 1.0), 1.0)
def root_of_noise(x, rng):
    return x + np.sqrt(2 * rng.exponential())


# ---------------------------------------------------------------- dimensions and ties


@sound((0, 1), 0.3)
def line_or_plane(x, rng):
    w, z, z2 = rng.normal(), rng.laplace(), rng.laplace()
    line = bool(rng.random() < 0.5)
    b = bool((z if x else z2) > 0)
    return [w, w] if line else [w, w + z, b][:2]


@sound((0, 1), 0.3)
def line_or_plane_without_a_bit(x, rng):
    w, z = rng.normal(), rng.laplace()
    return [w, w] if bool(rng.random() < 0.5) else [w, w + z]


@leak((0.0, 1.0), 1.0)
def one_number_or_two_alike(x, rng):
    w = rng.laplace(scale=4)
    return (w, w + x) if bool(rng.random() < 0.5) else (w, w)


# ---------------------------------------------------------------- state between calls

COUNT = [0]
CYCLE = itertools.cycle("ab")


@sound((0.0, 1.0), 1.0)
def alternating_shards(x, rng):
    COUNT[0] += 1
    return {"shard": COUNT[0] % 2, "v": x + rng.laplace()}


@sound((0.0, 1.0), 1.0)
def alternating_letters(x, rng):
    return next(CYCLE), x + rng.laplace()


@sound((0.0, 1.0), 1.0)
def spawned(x, rng):
    (child,) = rng.spawn(1)
    return x + child.laplace()


class Kept:
    z: Any = None


@sound((0.0, 1.0), 2.5)
def drawn_once(x, rng):
    if Kept.z is None:
        Kept.z = rng.laplace(scale=2)
    return x + Kept.z + rng.laplace(scale=0.5)


# ---------------------------------------------------------------- bounds that forget inequalities


@leak((0.0, 0.001), 1.0)
def compared_then_shown(x, rng):
    w = rng.laplace()
    b = bool(w > x)
    return b, float(w)


@leak((0.0, 0.001), 1.0)
def compared_and_symbolic(x, rng):
    w = rng.laplace()
    b = bool(w > x)
    return b, w


@leak((0.0, 1.0), 1.0, 0.001)
def rare_path(x, rng):
    v = float(x + rng.normal(scale=10))
    s = 10 if v < 25 else 0.01
    return v, x + rng.normal(scale=s)


@leak((0.0, 1.0), 1.0, 0.001)
def rare_path_of_a_symbol(x, rng):
    v = x + rng.normal(scale=10)
    s = 10 if v < 25 else 0.01
    return v, x + rng.normal(scale=s)


# ---------------------------------------------------------------- what numpy refuses


@sound((0.0, 1.0), 0.5)
def negative_scale(x, rng):
    return x + rng.laplace(scale=-0.5)


@sound((0.0, 1.0), 0.5)
def scale_that_is_no_number(x, rng):
    return x + rng.laplace(scale=math.nan)


@leak((0.0, 1.0), 0.5)
def weights_that_numpy_refuses(x, rng):
    return int(rng.choice(2, p=[0.5, 0.5 + 0.1 * x]))


@sound((0.0, 1.0), 1.0)
def dictionary_in_the_order_of_the_data(x, rng):
    names = ("a", "b") if x else ("b", "a")
    return dict(sorted((name, (name == "a") * x + rng.laplace()) for name in names))


# ---------------------------------------------------------------- further sound programs that may look broken


@sound((0.0, 1.0), 1.0)
def sorted_pair(x, rng):
    return sorted([x + rng.laplace(scale=2.0), rng.laplace(scale=2.0)])


@sound((0.0, 1.0), 1.0)
def noise_added_and_taken_away(x, rng):
    z = rng.laplace(scale=1e6)
    return (x + z) - z + rng.laplace()


@sound((np.zeros(3), np.array([0.0, 0.0, 1.0])), 1.0)
def permuted_before_the_noise(x, rng):
    return np.sum(x[rng.permutation(3)]) + rng.laplace()


@sound((0.0, 1.0), 1.0)
def noise_in_a_default_argument(x, rng, cache=[]):  # noqa: B006
    cache.append(0)
    return x + rng.laplace(), len(cache) > 0


@sound((1.0, 2.0), 1.0)
def two_scales_of_one_law(x, rng):
    z = rng.laplace(size=2)
    return x + z[0] * 2, z[1] * 3 + 1e-300


@sound((0.0, 1.0), 1.0)
def laplace_as_signed_exponential(x, rng):
    return x + (1.0 if rng.random() < 0.5 else -1.0) * rng.exponential()


@sound((0.0, 1.0), 1.0)
def rounded_to_a_grid(x, rng):
    return float(np.round(x + rng.laplace(), 1))


@sound((0, 1), 1.1)
def majority_of_three_flips(x, rng):
    return sum(bool(x) ^ bool(rng.random() < 0.4) for _ in range(3)) >= 2


@sound((0.0, 1.0), 1.0)
def exception_by_chance(x, rng):
    if rng.random() < 0.5:
        raise ValueError("no luck")
    return x + rng.laplace()


@sound((0.0, 1.0), 1.0)
def swallowed_exception(x, rng):
    try:
        rng.laplace(scale=-1.0)
    except ValueError:
        return x + rng.laplace()


@sound((0.0, 1.0), 1.0)
def generator_of_numbers(x, rng):
    return list(x + rng.laplace() for _ in range(1))  # noqa: C400


@sound((3.0, 4.0), 1.0)
def largest_of_noise_and_a_level(x, rng):
    return max(x + rng.laplace(), 3.5)


@sound((0.0, 1.0), 1.0)
def object_arrays(x, rng):
    out = np.empty(2, dtype=object)
    out[0], out[1] = x + rng.laplace(), None
    return out


@sound((0.0, 1.0), 0.5)
def averaged_draws(x, rng):
    return x + sum(rng.laplace(scale=4.0) for _ in range(4)) / 1.0


@sound((0.0, 1.0), 1.0)
def noise_times_data_of_one_sign(x, rng):
    return x + rng.laplace() * (1.0 if x >= 0 else 2.0)


# ---------------------------------------------------------------- further leaks that may look sound


@leak((0.0, 1.0), 1.0)
def bit_of_the_data_in_a_sign(x, rng):
    z = rng.laplace()
    return z if x else -abs(z)


@leak((0.0, 1.0), 1.0)
def noise_used_twice_with_other_signs(x, rng):
    z = rng.laplace(scale=10.0)
    return x + z, x - z


@leak((0.0, 1.0), 1.0)
def order_of_a_set(x, rng):
    return [rng.laplace()] + (["a", "b"] if x else ["b", "a"])


@leak((0.0, 1.0), 1.0)
def dtype_tells(x, rng):
    return rng.laplace(), np.zeros(2, dtype=np.float32 if x else np.float64)


@leak((0.0, 1.0), 1.0)
def negative_zero(x, rng):
    return rng.laplace(), -0.0 if x else 0.0


@leak((0.0, 1.0), 1.0)
def exception_tells(x, rng):
    if x and rng.random() < 0.9:
        raise RuntimeError("rare")
    return rng.laplace()


@leak((0.0, 1.0), 0.39)
def third_draw_cancels(x, rng):
    a, b = rng.laplace(scale=5.0), rng.laplace(scale=5.0)
    return x + a, b - a, x + b


@leak((0.0, 1.0), 1.0)
def attribute_of_an_array(x, rng):
    return {"n": rng.laplace(), "view": np.arange(3)[:: 1 if x else -1]}


@leak((0.0, 1.0), 1.0)
def half_of_the_scale_on_a_rare_path(x, rng):
    return x + rng.laplace(scale=0.1 if rng.random() < 0.01 else 1.0)


@leak((0.0, 1.0), 1.0)
def uniform_noise(x, rng):
    return x + rng.uniform(-100, 100)


@leak((0.0, 1.0), 1.0)
def exponential_noise(x, rng):
    return x + rng.exponential(scale=5.0)


@leak((0, 1), 1.0)
def shuffled_but_counted(x, rng):
    items = [0, 0, x]
    rng.shuffle(items)
    return items


@leak((0.0, 1.0), 1.0)
def global_state_seeded_after_the_draw(x):
    z = np.random.laplace()
    np.random.seed(1)
    return z, x + np.random.laplace()


@leak((0.0, 1.0), 1.0)
def inner_product_with_itself(x, rng):
    z = rng.normal(size=2)
    return (x + z[0]) * 1e-3, z[0] * 1e3


@leak((0.0, 1.0), 1.0)
def copied_generator(x, rng):
    import copy

    other = copy.deepcopy(np.random.default_rng(7))
    return x + other.laplace()


# ---------------------------------------------------------------- loops, rounded numbers, and noise of noise


def _four(rng):
    u = rng.random(4)
    return np.log(1 - u[0]) * np.cos(np.pi * u[1]) + np.log(1 - u[2]) * np.cos(np.pi * u[3])


@sound((0.0, 1.0), 1.0)
def noise_of_four_uniforms(x, rng):
    return x - _four(rng)


@leak((0.0, 1.0), 1.0)
def three_of_four_uniforms_shown(x, rng):
    u = rng.random(4)
    z = np.log(1 - u[0]) * np.cos(np.pi * u[1]) + np.log(1 - u[2]) * np.cos(np.pi * u[3])
    return x + z, u[1], u[2], u[3]


@leak((0.0, 1.0), 0.9)
def four_uniforms_of_too_small_a_scale(x, rng):
    return x + _four(rng)


@leak((0.0, 1.0), 1.0)
def one_half_of_the_noise_is_shown(x, rng):
    u = rng.random(4)
    a, b = np.log(1 - u[0]) * np.cos(np.pi * u[1]), np.log(1 - u[2]) * np.cos(np.pi * u[3])
    return x + a + b, a


@sound((0.0, 1.0), 1.0)
def both_halves_hide_alike(x, rng):
    u = rng.random(4)
    a, b = np.log(1 - u[0]) * np.cos(np.pi * u[1]), np.log(1 - u[2]) * np.cos(np.pi * u[3])
    return (x + a + b) if x == x else a


@leak((0.0, 1.0), 1.0)
def a_cosine_over_half_a_turn_too_little(x, rng):
    u = rng.random(4)
    z = np.log(1 - u[0]) * np.cos(np.pi / 2 * u[1]) + np.log(1 - u[2]) * np.cos(np.pi / 2 * u[3])
    return x + z


@leak((0.0, 1.0), 1.0)
def exponential_draws_of_other_scales(x, rng):
    return x + rng.exponential(1.0) - rng.exponential(0.5)


@sound((0.0, 1.0), 1.0)
def exponential_draws_of_one_scale(x, rng):
    a, b = rng.exponential(size=2)
    return [x + a - b, 2 * (x + a - b)]


@leak((0.0, 1.0), 1.0)
def exponential_draws_used_twice(x, rng):
    a, b = rng.exponential(size=2)
    return x + a - b, x + b - a


@leak((0.0, 1.0), 1.0)
def a_rare_path_shows_the_data(x, rng):
    if rng.random() < 1e-13:
        return x
    return x + rng.laplace()


@leak((0.0, 1.0), 1.0, 1e-9)
def a_path_that_is_rare_enough_to_be_missed(x, rng):
    if rng.random() < 1e-8:
        return "no", x
    return "yes", x + rng.laplace()


@sound((0.0, 1.0), 1.0, 1e-9)
def a_path_that_is_rarer_than_delta(x, rng):
    if rng.random() < 1e-10:
        return "no", x
    return "yes", x + rng.laplace()


@sound((0, 1), 1.0, 1e-9)
def a_loop_without_data(x, rng):
    n = 0
    while rng.random() < 0.5:
        n += 1
    return n, bool(x + rng.laplace() > 3)


@leak((0, 1), 1.0, 1e-4)
def a_loop_as_long_as_the_data_says(x, rng):
    n = 0
    while rng.random() < 0.5 - 0.3 * x:
        n += 1
    return n


@sound((0.0, 1.0), 1.0, 1e-9)
def rounded_to_whole_numbers(x, rng):
    return round(x + rng.laplace())


@leak((0.0, 1.0), 0.9, 1e-6)
def rounded_noise_of_too_small_a_scale(x, rng):
    return round(x + rng.laplace())


@leak((0.0, 0.5), 0.5)
def only_the_noise_is_rounded(x, rng):
    return x + round(rng.laplace())


@leak((0.0, 1.0), 1.0)
def what_rounding_left_is_shown(x, rng):
    z = rng.laplace()
    return math.floor(z), x + z - math.floor(z)


@sound((0.0, 1.0), 1.0)
def whole_and_left_part_of_the_noisy_number(x, rng):
    v = x + rng.laplace()
    w = math.floor(v)
    return w, v - w


@leak((0.0, 1.0), 1.0)
def the_function_and_its_root(x, rng):
    z = rng.normal(scale=10.0)
    return np.sqrt(np.exp(z / 10.0)), x + z


@leak((0.0, 1.0), 1.0, 0.01)
def a_function_of_a_function_beside_its_root(x, rng):
    z = rng.normal(scale=30.0)
    return x + z, np.log1p(np.exp(z / 30.0))


@sound((4, 5), 1.0, 1e-9)
def two_sided_geometric_noise_by_a_sign(x, rng):
    u = (rng.random() - 0.5) * (1 + math.exp(-1))
    sign = -1 if u < 0 else 1
    return int(np.round(x + sign * np.floor(np.log(sign * u) / -1.0)))


@leak((4, 5), 0.9, 1e-6)
def geometric_noise_with_the_scale_of_another_claim(x, rng):
    u = (rng.random() - 0.5) * (1 + math.exp(-1))
    sign = -1 if u < 0 else 1
    return int(np.round(x + sign * np.floor(np.log(sign * u) / -1.0)))


@leak((4, 5), 1.0, 1e-6)
def geometric_noise_of_one_side(x, rng):
    return x + int(np.floor(-np.log(rng.random())))


@sound((0.0, 1.0), 0.0, 0.25)
def uniform_noise_by_its_overlap(x, rng):
    return x + rng.uniform(-2, 2)


@leak((0.0, 1.0), 0.0, 0.24)
def uniform_noise_of_too_small_a_range(x, rng):
    return x + rng.uniform(-2, 2)


@sound((0.0, 1.0), math.log(2), 0.1)
def a_mixture_of_two_uniforms(x, rng):
    return x / 2 + (rng.uniform(0, 5) if rng.random() < 0.5 else rng.uniform(-5, 0))


@leak((0.0, 1.0), 1.0)
def the_seed_that_was_drawn_is_shown(x, rng):
    key = int(rng.integers(2**62))
    return key, x + np.random.default_rng(key).laplace()
