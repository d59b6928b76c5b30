(** Remarks that are false as printed, on sums over a spectrum and on quotients of bounds.

    Each [printed] is the statement with its printed quantifiers and hypotheses; a theorem says that it is false.  Such a
    theorem is its own witness that the hypotheses can be met: if no instance met them, the statement would be true.
    Beside "The range of places" and "The factor between the bounds" of proofs_notes/lower_bounds.md, and "Best split
    for a projection" and "Best split for a bounded condition number" of proofs_notes/orbit.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Scalars Orbit SpectrumSums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

(** Every place [i] from 1 to [d], where the repaired statement stops in the middle. *)
Definition printed_places := forall d (lambda : 'I_d -> R) (first i : 'I_d) (k : nat),
  descending lambda -> (forall j, 0 <= lambda j) -> (forall j : 'I_d, (k <= j)%nat -> lambda j = 0) ->
  first = 0%nat :> nat -> INR i.+1 * (lambda i - lambda (rev_ord i)) ^ 2 <= INR k * lambda first ^ 2.

(* @refutes MWKTV-R2.3a places_refuted real *)
Theorem places_refuted : ~ printed_places.
Proof.
pose lambda (j : 'I_4) := if (j : nat) is 0%nat then 1 else 0.
move=> /(_ 4%nat lambda ord0 ord_max 1%nat) all.
have : INR 4 * (lambda ord_max - lambda (rev_ord ord_max)) ^ 2 <= INR 1 * lambda ord0 ^ 2; last by rewrite /lambda /=; lra.
apply: all => // [[[|i] i4] [[|j] j4]|[[|j] j4]|[[|j] j4]] //= *; rewrite /lambda /=; lra.
Qed.

(** The cost of one eigenvector after the other, with the share [eps0] of the eigenvalues, has the order
    [k d^2 lambda / epsilon] for a multiple of a projector. *)
Definition printed_projection := exists c, 0 < c /\ forall (k d : nat) (lambda epsilon eps0 : R) (eps : 'I_k -> R),
  (0 < k)%nat -> (k <= d)%nat -> 0 < lambda -> 0 < eps0 -> (forall i, 0 < eps i) -> eps0 + sum eps = epsilon ->
  c * (INR k * INR d ^ 2 * lambda / epsilon) <= INR d / eps0 ^ 2 + cost (fun _ => lambda) (INR d) eps.

(** Without that summand, if the quotient of the first and the last eigenvalue is at most [C]. *)
Definition printed_condition := forall C, 1 <= C -> exists c, 0 < c /\
  forall (k d : nat) (lambda : 'I_k -> R) (epsilon : R) (eps : 'I_k -> R) (first last : 'I_k),
  (k <= d)%nat -> (forall i, 0 < lambda last <= lambda i /\ lambda i <= lambda first) -> lambda first <= C * lambda last ->
  0 < epsilon -> (forall i, 0 < eps i) -> sum eps = epsilon ->
  c * (INR k * INR d ^ 2 * lambda first / epsilon) <= cost lambda (INR d) eps.

Lemma large_number x : exists n, x < INR n.
Proof.
have pos : 0 < / (Rabs x + 1) by apply: Rinv_0_lt_compat; have := Rabs_pos x; lra.
have [n [small n0]] := archimed_cor1 _ pos; exists n; have n1 : 0 < INR n by apply: lt_0_INR.
have := Rinv_lt_contravar _ _ (Rmult_lt_0_compat _ _ (Rinv_0_lt_compat _ n1) pos) small.
by rewrite !Rinv_inv; have := Rle_abs x; lra.
Qed.

Lemma large_dimension c : 0 < c -> exists d : nat, (2 <= d)%nat /\ 12 * INR d < c * (INR 2 * INR d ^ 2 * 1 / 1).
Proof.
move=> c0; have [n big] := large_number (6 / c); exists n.+2; split=> //.
have n0 := pos_INR n; have d0 : 0 < INR n.+2 by rewrite !S_INR; lra.
have big' : 6 < c * INR n.+2.
  have := Rmult_lt_compat_l _ _ _ c0 big; rewrite (_ : c * (6 / c) = 6); last by field; lra.
  by rewrite !S_INR; lra.
have := Rmult_lt_compat_r _ _ _ d0 big'; rewrite (_ : INR 2 = 2) //; lra.
Qed.

Lemma two_terms (f : 'I_2 -> R) : sum f = f ord0 + f ord_max.
Proof. by rewrite /sum !big_ord_recl big_ord0 Rplus_0_r; congr (_ + f _); apply: val_inj. Qed.

(* @refutes MWKTV-S3a projection_refuted real *)
Theorem projection_refuted : ~ printed_projection.
Proof.
move=> [c [c0 all]]; have [d [d2 no]] := large_dimension c0.
have := all 2%nat d 1 1 (1 / 2) (fun _ => 1 / 4); rewrite /cost !two_terms => claim.
have : c * (INR 2 * INR d ^ 2 * 1 / 1) <= INR d / (1 / 2) ^ 2 + (INR d * 1 / (1 / 4) + INR d * 1 / (1 / 4)).
  by apply: claim => // *; lra.
rewrite (_ : INR d / (1 / 2) ^ 2 = 4 * INR d); [lra | field].
Qed.

(* @refutes MWKTV-S3b condition_refuted real *)
Theorem condition_refuted : ~ printed_condition.
Proof.
move=> /(_ 1 (Rle_refl 1)) [c [c0 all]]; have [d [d2 no]] := large_dimension c0; have d0 := pos_INR d.
have := all 2%nat d (fun _ => 1) 1 (fun _ => 1 / 2) ord0 ord0; rewrite /cost !two_terms => claim.
have : c * (INR 2 * INR d ^ 2 * 1 / 1) <= INR d * 1 / (1 / 2) + INR d * 1 / (1 / 2) by apply: claim => // *; lra.
lra.
Qed.

(** Bounds of a flat spectrum [top] of rank [k], without their constants. *)
Definition upper (d k : nat) epsilon top := INR d * INR k / epsilon * (top + 1 / epsilon).
Definition lower (d k : nat) epsilon top := Rmin (INR d * INR k / epsilon) (INR k * top ^ 2).
Definition printed_factor := exists C, forall (d k : nat) epsilon top,
  (0 < k)%nat -> (k.*2 <= d)%nat -> 0 < epsilon -> 0 < top -> top <= sqrt (INR d) / epsilon ->
  upper d k epsilon top / lower d k epsilon top <= C * (INR d / (top * epsilon)).

(* @refutes MWKTV-R2.3b factor_refuted real *)
Theorem factor_refuted : ~ printed_factor.
Proof.
move=> [C all]; have [n big] := large_number (2 * C + 4); set m := INR n in big.
have n0 := pos_INR n; have m4 : 4 < m \/ C < 0 by case: (Rlt_dec C 0); [right | left; lra].
pose M := m + 5; have M0 : 5 <= M by rewrite /M /m; lra.
have four : sqrt (INR 4) = 2 by rewrite (_ : INR 4 = 2 * 2); [apply: sqrt_square; lra | rewrite /=; ring].
have := all 4%nat 1%nat (/ M) M; rewrite /upper /lower four.
have i0 : 0 < / M by apply: Rinv_0_lt_compat; lra.
have -> : INR 4 * INR 1 / / M = 4 * M by rewrite /=; field; lra.
have -> : INR 1 * M ^ 2 = M * M by rewrite /=; ring.
rewrite Rmin_left; last by apply: Rmult_le_compat_r; lra.
have -> : 4 * M * (M + 1 / / M) / (4 * M) = 2 * M by field; lra.
have -> : INR 4 / (M * / M) = 4 by rewrite /=; field; lra.
have -> : 2 / / M = 2 * M by field; lra.
move=> claim; have : 2 * M <= C * 4 by apply: claim => //; lra.
by rewrite /M; lra.
Qed.
