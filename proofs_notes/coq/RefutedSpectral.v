(** Bounds on errors that are false as printed: they ask for more than the orbit is wide.

    [top_value k d value] is the spectrum with [k] values [value] and then zeros.  An error in spectral norm is at least
    [error] if some unit vector [x] shows it: the difference [M - N] has |x^* (M - N) x| of this size.
    Beside "The spectral norm" of proofs_notes/lower_bounds.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Privacy Scalars Orbit SinTheta RefutedRemarks RefutedBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Definition top_values d k (value : R) (i : 'I_d) := if (i < k)%nat then value else 0.
Definition seen (K : scalars) d error (M N : 'I_d -> 'I_d -> K) :=
  exists x : 'I_d -> K, norm2 x = 1 /\ error <= Rabs (inner (difference M N) (outer x)).

(** For a spectrum of rank [d / 2] whose value is at least [C sqrt d / epsilon] the error is at least [c d / epsilon],
    half of the time and for some matrix; outputs lie on the orbit. *)
Definition printed_spectral (K : scalars) := exists c C, 0 < c /\ 0 < C /\
  forall k (value epsilon : R) (Y : finType) law (output : Y -> 'I_(k.*2) -> 'I_(k.*2) -> K),
  let lambda := top_values k value in
  0 < value -> 0 < epsilon -> C * sqrt (INR k.*2) <= value * epsilon -> mechanism epsilon law ->
  (forall y, exists U, unitary U /\ output y = spectral U lambda) ->
  exists V (event : Y -> bool), unitary V /\
    (forall y, event y -> seen (c * INR k.*2 / epsilon) (spectral V lambda) (output y)) /\
    1 / 2 <= probability (law (spectral V lambda)) event.

(* @refutes MWKTV-R2.3c spectral_refuted finite dimension *)
Theorem spectral_refuted (K : scalars) : ~ printed_spectral K.
Proof.
move=> [c [C [c0 [C0 all]]]]; have [k big] := large_number ((C / c) ^ 2 + 1).
have k0 : 1 < INR k by have := pow2_ge_0 (C / c); lra.
set d := k.*2 in all; have d1 : INR d = INR k + INR k by rewrite /d -addnn plus_INR.
have root : C / c < sqrt (INR d).
  have q0 : 0 < C / c by apply: Rdiv_lt_0_compat.
  by rewrite -(sqrt_pow2 (C / c)); [apply: sqrt_lt_1_alt; have := pow2_ge_0 (C / c); lra | lra].
have r0 : 0 < sqrt (INR d) by apply: sqrt_lt_R0; lra.
pose value := C * sqrt (INR d); have v0 : 0 < value by apply: Rmult_lt_0_compat.
have narrow : value < c * INR d / 1.
  have := Rmult_lt_compat_l c _ _ c0 root; rewrite (_ : c * (C / c) = C); last by field; lra.
  move=> lt; have := Rmult_lt_compat_r _ _ _ r0 lt; rewrite /value Rmult_assoc sqrt_sqrt; lra.
pose output (y : unit) := spectral (@identity K d) (top_values k value).
have law : is_law (fun _ : unit => 1).
  by split=> [y|]; [lra | rewrite (sum_one (i := tt)) => [|[]]].
have enough : C * sqrt (INR d) <= value * 1 by rewrite /value; lra.
have [|V [event [V1 [errs half]]]] := all k value 1 _ _ output v0 Rlt_0_1 enough (constant_mechanism K d Rle_0_1 law).
  by move=> y; exists (@identity K d); split; [exact: identity_unitary|].
suff none y : event y = false.
  by move: half; rewrite /probability /sum_if (sum_one (i := tt)) => [|[] //]; rewrite none; lra.
apply/negP => /errs [x [x1]]; rewrite inner_difference ![inner _ (outer x)]inner_sym.
have range (i : 'I_d) : 0 <= top_values k value i <= value by rewrite /top_values; case: (i < k)%nat; lra.
have := score_range x V1 range; have := score_range x (@identity_unitary K d) range.
rewrite x1 /output !Rmult_0_l !Rmult_1_r.
move: (inner _ (spectral V _)) (inner _ (spectral (@identity K d) _)) => a b [b0 b1] [a0 a1] err.
have width : Rabs (a - b) <= value by apply: Rabs_le; lra.
by rewrite -/d in err; lra.
Qed.

(** The order [d / epsilon] without a cap, on spectra of one positive value in two dimensions; outputs lie on the orbit. *)
Definition printed_uncapped (K : scalars) := exists c, 0 < c /\
  forall (value epsilon : R) (Y : finType) law (output : Y -> 'I_2 -> 'I_2 -> K),
  0 < value -> 0 < epsilon -> mechanism epsilon law ->
  (forall y, exists U, unitary U /\ output y = spectral U (top_values 1 value)) ->
  exists V, unitary V /\ 1 / 2 <= probability (law (spectral V (top_values 1 value)))
    (at_least output (c / epsilon) (spectral V (top_values 1 value))).

(* @refutes MWKTV-E12 uncapped_refuted finite dimension, only: small epsilon, two dimensions *)
Theorem uncapped_refuted (K : scalars) : ~ printed_uncapped K.
Proof.
move=> [c [c0 all]]; have e0 : 0 < c / 3 by lra.
pose output (y : unit) := spectral (@identity K 2) (top_values 1 1).
have law : is_law (fun _ : unit => 1) by split=> [y|]; [lra | rewrite (sum_one (i := tt)) => [|[]]].
have one := @identity_unitary K 2.
have [|V [V1 half]] := all 1 (c / 3) _ _ output Rlt_0_1 e0 (constant_mechanism K 2 (Rlt_le _ _ e0) law).
  by move=> y; exists (@identity K 2).
have error : frobenius2 (difference (spectral V (top_values 1 1)) (output tt)) <= 2.
  rewrite (distance_by_overlaps _ _ V1 one) -(_ : sum (fun j => sum (fun k => overlap V (@identity K 2) j k)) = 2).
    apply: sum_le => j; apply: sum_le => k; have := overlap_ge0 V (@identity K 2) j k.
    by rewrite /top_values; case: (j < 1)%nat; case: (k < 1)%nat => o0; nra.
  by rewrite (sum_ext (g := fun _ => 1)) => [|j]; [rewrite two_terms; ring | exact: overlap_rows].
move: half; rewrite /probability /sum_if (sum_one (i := tt)) => [|[] //].
have three : c / (c / 3) = 3 by field; lra.
by rewrite /at_least; case: at_mostP; rewrite three; lra.
Qed.
