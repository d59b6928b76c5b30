(** The standard normal distribution.

    [cdf] is defined by an integral over a bounded interval, which [interval] can enclose.  That it is the distribution
    function needs one fact more, that the total mass of [bell / sqrt (2 PI)] is 1: [cdf_at_infinity] and [cdf_at_minus_infinity].

    The mass is found without polar coordinates.  Let [half x] be the integral of [exp (-t^2/2)] over [0, x], and
    [rest x] that of [exp (-x^2 (1 + s^2) / 2) / (1 + s^2)] over s in [0, 1].  The derivative of [half^2 + 2 rest] is 0
    (substitute t = x s), its value at 0 is 2 atan 1 = PI / 2, and [rest] tends to 0. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition bell (t : R) : R := exp (- (t * t) / 2).

Definition cdf (x : R) : R := 1 / 2 + RInt bell 0 x / sqrt (2 * PI).
