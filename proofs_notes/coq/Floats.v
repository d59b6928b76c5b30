(** Sums of integers, and a distance from an integer, in the arithmetic of the machine.

    [float x] says that the number [x] is one of the format binary64, subnormal numbers included, and [rounded] is the
    rounding of an operation to this format, in any mode; both are those of the library Flocq.  Overflow is not in the
    format: no number here is above 2^53.  Beside "Exact sums" and "Certain rounding" of proofs_notes/arithmetic.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Lia ZArith.
From Flocq Require Import Core.
Require Import Sums Arithmetic.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Definition exponents := FLT_exp (-1074) 53.
Definition float := generic_format radix2 exponents.

Section Rounding.
(** A rounding mode: a monotone function to integers that leaves integers as they are. *)
Variable mode : R -> Z.
Context {valid : Valid_rnd mode}.
Definition rounded := round radix2 exponents mode.

Lemma rounded_float x : float x -> rounded x = x.
Proof. exact: (@round_generic radix2 exponents mode valid x). Qed.

Lemma rounded_monotone x y : x <= y -> rounded x <= rounded y.
Proof. exact: (@round_le radix2 exponents (FLT_exp_valid (-1074) 53) mode valid x y). Qed.

Lemma float_of (m e : Z) : (Z.abs m < 2 ^ 53)%Z -> (-1074 <= e)%Z -> float (F2R (Float radix2 m e)).
Proof. by move=> small low; apply: generic_format_FLT; exists (Float radix2 m e). Qed.

(** Integers up to 2^53. *)
Lemma integer_float (n : Z) : (Z.abs n <= 2 ^ 53)%Z -> float (IZR n).
Proof.
move=> small; case: (Z.eq_dec (Z.abs n) (2 ^ 53)) => [edge|inner].
  have -> : IZR n = F2R (Float radix2 (Z.sgn n) 53).
    rewrite /F2R /= -mult_IZR; congr IZR; lia.
  by apply: float_of; lia.
have -> : IZR n = F2R (Float radix2 n 0) by rewrite /F2R /=; ring.
by apply: float_of; lia.
Qed.

(** The distance from a nearest integer. *)
Lemma distance_float x (r : Z) : float x -> Rabs (x - IZR r) <= 1 / 2 -> float (x - IZR r).
Proof.
move=> fx near.
have [[m e] /= ex small low] := @FLT_format_generic radix2 (-1074) 53 (Logic.eq_refl : Prec_gt_0 53) x fx.
case: (Z_le_gt_dec 0 e) => sign.
  have whole : x = IZR (m * Z.pow radix2 e) by rewrite ex /F2R /= mult_IZR (IZR_Zpower radix2).
  have -> : x - IZR r = 0.
    move: near; rewrite whole -minus_IZR -abs_IZR => near.
    have : (Z.abs (m * Z.pow radix2 e - r) < 1)%Z by apply: lt_IZR; lra.
    by move=> none; congr IZR; lia.
  exact: generic_format_0.
have scale : IZR r = IZR (r * Z.pow radix2 (- e)) * bpow radix2 e.
  rewrite mult_IZR (IZR_Zpower radix2); last lia.
  by rewrite Rmult_assoc -bpow_plus Z.add_opp_diag_l /=; ring.
have power := bpow_gt_0 radix2 e.
set M := (m - r * Z.pow radix2 (- e))%Z.
have form : x - IZR r = IZR M * bpow radix2 e.
  have ex' : x = IZR m * bpow radix2 e by [].
  by rewrite scale ex' /M minus_IZR Rmult_minus_distr_r.
have size : (Z.abs M <= Z.abs m)%Z.
  case: (Z.eq_dec r 0) => [zero|nonzero]; first by rewrite /M zero; lia.
  apply: le_IZR; rewrite !abs_IZR; apply: (Rmult_le_reg_r (bpow radix2 e)) => //.
  rewrite -{1 2}(Rabs_pos_eq (bpow radix2 e)); last lra.
  rewrite -!Rabs_mult -form; have <- : x = IZR m * bpow radix2 e by rewrite ex.
  have one : 1 <= Rabs (IZR r) by rewrite -abs_IZR; apply: IZR_le; lia.
  have := Rabs_triang_inv (IZR r) (IZR r - x); rewrite (Rabs_minus_sym (IZR r) x).
  by rewrite (_ : IZR r - (IZR r - x) = x); [lra | ring].
by rewrite form; apply: (@float_of M e) => //; lia.
Qed.

(* @proves DPS-AMBIGUOUS float_rounding real, binary64 *)
Theorem float_rounding (truth estimate bound : R) (r : Z) : float estimate ->
  Rabs (estimate - IZR r) <= 1 / 2 -> Rabs (estimate - truth) <= bound ->
  Rabs (rounded (estimate - IZR r)) < rounded (1 / 2 - bound) ->
  Rabs (truth - IZR r) < 1 / 2 /\ r = nearest truth.
Proof.
move=> fe close near; have exact := distance_float fe close; rewrite (rounded_float exact) => certain.
have fabs : rounded (Rabs (estimate - IZR r)) = Rabs (estimate - IZR r).
  by apply: rounded_float; exact: generic_format_abs.
apply: (@certain_rounding rounded truth estimate bound r) => //; first exact: rounded_monotone.
by rewrite fabs.
Qed.

(** The program's entry: [y - f] in floats for the float [y] and the float [f] below it, and [f + 1] if this is at least
    a half. *)
(* @proves DPS-CONTRACTION float_entry real, binary64, only: the program's number, for a scaled entry that is a float below 2^52 *)
Theorem float_entry y : float y -> Rabs y < 2 ^ 52 ->
  let f := floor y in
  (if at_most (1 / 2) (rounded (y - IZR f)) then rounded (IZR f + 1) else IZR f) = IZR (nearest y).
Proof.
move=> fy small f; have [low high] := floor_bounds y; rewrite -/f in low high.
have half : float (1 / 2).
  rewrite (_ : 1 / 2 = F2R (Float radix2 1 (-1))); first exact: float_of.
  by rewrite /F2R /=; lra.
case: (Rle_dec (1 / 2) (y - IZR f)) => cmp.
  have -> : at_most (1 / 2) (rounded (y - IZR f)).
    by apply/at_mostP; rewrite -{1}(rounded_float half); exact: rounded_monotone.
  have -> : nearest y = (f + 1)%Z by apply: floor_unique; rewrite plus_IZR; lra.
  rewrite -plus_IZR; apply: rounded_float; apply: integer_float; apply: le_IZR; rewrite abs_IZR plus_IZR.
  have [y1 y2] := Rabs_def2 _ _ small.
  have -> : IZR (2 ^ 53) = 2 ^ 53 by rewrite -(pow_IZR 2 53).
  by apply: Rabs_le; lra.
have -> : nearest y = f by apply: floor_unique; lra.
rewrite rounded_float; last by apply: distance_float => //; apply: Rabs_le; lra.
by case: at_mostP.
Qed.

(** Sums of products of integer entries in any order: a product is rounded once, and so is the sum of two parts. *)
Section Orders.
Variables (N I : finType) (q : N -> I -> Z).
Hypothesis rows : forall r, sum (fun i => IZR (q r i) ^ 2) <= 2 ^ 40.
Hypothesis few : (#|N| <= 2 ^ 13)%nat.

Inductive order := row of N | join of order & order.
Fixpoint used o := match o with row r => [:: r] | join a b => used a ++ used b end.
Variables i j : I.
Fixpoint computed o := match o with
  row r => rounded (IZR (q r i) * IZR (q r j)) | join a b => rounded (computed a + computed b) end.
Fixpoint exact_sum o := match o with row r => (q r i * q r j)%Z | join a b => (exact_sum a + exact_sum b)%Z end.

Lemma exact_partial o : uniq (used o) -> IZR (exact_sum o) = partial_sum q (fun k => k \in used o) i j.
Proof.
elim: o => [r _|a IHa b IHb] /=.
  rewrite mult_IZR /partial_sum /sum_if (sum_one (i := r)) => [|k /eqP /negPf kr]; first by rewrite mem_seq1 eqxx.
  by rewrite mem_seq1 kr.
rewrite cat_uniq => /and3P [ua /hasPn apart ub]; rewrite plus_IZR IHa // IHb // -sum_add; apply: sum_ext => k.
rewrite mem_cat; case ka: (k \in used a); case kb: (k \in used b) => /=; try ring.
by have := apart k kb; rewrite /= ka.
Qed.

(* @proves DPS-EXACTSUM float_sums binary64, only: at most 2^13 rows, in any order of sums and any rounding mode *)
Theorem float_sums o : uniq (used o) -> computed o = IZR (exact_sum o).
Proof.
have small p : uniq (used p) -> float (IZR (exact_sum p)).
  move=> up; apply: integer_float; apply: le_IZR; rewrite abs_IZR exact_partial //.
  have [bound _] := @partial_sums N I q rows (fun k => k \in used p) i j _ (leqnn #|N|).
  have m13 : INR #|N| <= 2 ^ 13.
    by rewrite -(pow_INR 2 13); apply: le_INR; apply/leP; exact: few.
  have [le _] := bound m13; apply: Rle_trans le _; have -> : IZR (2 ^ 53) = 2 ^ 53 by rewrite -(pow_IZR 2 53).
  lra.
elim: o => [r u|a IHa b IHb u] /=; first by rewrite -mult_IZR; apply: rounded_float; exact: (small (row r)).
have := u; rewrite /= cat_uniq => /and3P [ua _ ub]; rewrite IHa // IHb // -plus_IZR; apply: rounded_float.
exact: (small (join a b)).
Qed.
End Orders.
End Rounding.
