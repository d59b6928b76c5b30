(** What a certificate says, and how the kernel is led to check it.

    A certificate of the ledger is an inequality [greater > lesser] between two expression trees
    (dpspectra.ledger.certificate).  The meaning of a tree is given here, once; the files generated from the ledger hold
    data only.  Functions of Coq are total: 1 / 0, sqrt (-1) and ln 0 are numbers, of which some inequalities happen to
    be true.  [defined] demands that no such number is used. *)
From Coq Require Export Reals.
From Coquelicot Require Export Coquelicot.
From Interval Require Export Tactic.
Require Export Normal.
Open Scope R_scope.

Inductive tree :=
  | ratio (numerator : Z) (denominator : positive)
  | add (a b : tree)
  | sub (a b : tree)
  | mul (a b : tree)
  | div (a b : tree)
  | neg (a : tree)
  | root (a : tree)
  | exponential (a : tree)
  | logarithm (a : tree)
  | normal_cdf (a : tree)
  | pi.

Fixpoint value (t : tree) : R :=
  match t with
  | ratio n d => IZR n / IZR (Z.pos d)
  | add a b => value a + value b
  | sub a b => value a - value b
  | mul a b => value a * value b
  | div a b => value a / value b
  | neg a => - value a
  | root a => sqrt (value a)
  | exponential a => exp (value a)
  | logarithm a => ln (value a)
  | normal_cdf a => cdf (value a)
  | pi => PI
  end.

Fixpoint defined (t : tree) : Prop :=
  match t with
  | ratio _ _ | pi => True
  | add a b | sub a b | mul a b => defined a /\ defined b
  | div a b => defined a /\ defined b /\ value b <> 0
  | neg a | exponential a | normal_cdf a => defined a
  | root a => defined a /\ 0 <= value a
  | logarithm a => defined a /\ 0 < value a
  end.

Definition greater_than (greater lesser : tree) : Prop :=
  defined greater /\ defined lesser /\ value lesser < value greater.

(** [enclose_integrals] replaces each integral of the normal density by a variable of which only an interval of width
    [2^width] is known; [interval] then computes with [bits] bits. *)
Ltac enclose_integrals bits width :=
  repeat match goal with
  | |- context [RInt ?f 0 ?x] =>
      let bounds := fresh "bounds" in
      integral_intro (RInt f 0 x) with (i_prec bits, i_fuel 4000, i_width width) as bounds;
      revert bounds; generalize (RInt f 0 x); intros ? bounds
  end.

Ltac by_intervals bits width :=
  cbv [greater_than defined value cdf bell];
  enclose_integrals bits width;
  repeat apply conj; try exact I; interval with (i_prec bits).

(** Coarse intervals first: they decide nearly all certificates, and soon. *)
Ltac certify :=
  first [by_intervals 40%positive (-16)%Z | by_intervals 60%positive (-40)%Z | by_intervals 120%positive (-64)%Z].
