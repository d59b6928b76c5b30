(** Inequalities between distances of matrices and of projectors that are false as printed.

    The instances have two dimensions.  [line c s] is the rotation that takes the first axis to the line of (c, s), the
    unitary matrix that the notes call psi (P) for this line P.  Beside "Sin Theta", "The orbit map and the rotation" and
    "Images stay near" of proofs_notes/perturbation.md and packing.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars Orbit Packings SinTheta RefutedRemarks RefutedBounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Lemma all_two (P : 'I_2 -> Prop) : P ord0 -> P ord_max -> forall i, P i.
Proof.
move=> p0 p1 [[|[|i]] lt] //; first by rewrite (_ : Ordinal lt = ord0) //; exact: val_inj.
by rewrite (_ : Ordinal lt = ord_max) //; exact: val_inj.
Qed.

(** The constant 1, where the square root of 2 is right. *)
Definition printed_sin_theta (K : scalars) := forall d (U V : 'I_d -> 'I_d -> K) a b k (last next : 'I_d),
  unitary U -> unitary V -> descending a -> descending b -> last.+1 = k -> next = k :> nat -> 0 < a last - b next ->
  norm (difference (projector U (top k)) (projector V (top k)))
    <= norm (difference (spectral U a) (spectral V b)) / (a last - b next).

(* @refutes MWKTV-L8.2 sin_theta_refuted finite dimension, only: Frobenius norm, the first k of both spectra *)
Theorem sin_theta_refuted (K : scalars) : ~ printed_sin_theta K.
Proof.
pose a (i : 'I_2) := if (i : nat) is 0%nat then 1 else 1 / 2.
pose b (i : 'I_2) := if (i : nat) is 0%nat then 1 / 2 else 0.
have down (c : 'I_2 -> R) : c ord_max <= c ord0 -> descending c.
  by move=> le; apply: all_two; apply: all_two => //= _; lra.
move=> /(_ 2%nat (@identity K 2) (turned K) a b 1%nat ord0 ord_max) all.
have one := @identity_unitary K 2; have other : unitary (turned K) by exact: (reversed_unitary one).
have distance c e : frobenius2 (difference (spectral (@identity K 2) c) (spectral (turned K) e)) =
    (c ord0 - e ord_max) ^ 2 + (c ord_max - e ord0) ^ 2.
  rewrite (frobenius2_ext (A' := spectral (@identity K 2) c) (B' := spectral (@identity K 2) (fun j => e (rev_ord j)))) //;
    last by move=> i j; rewrite reversed_spectral.
  have r0 : rev_ord (ord0 : 'I_2) = ord_max by exact: val_inj.
  have r1 : rev_ord (ord_max : 'I_2) = ord0 by exact: val_inj.
  by rewrite diagonal_distance two_terms r0 r1.
have : norm (difference (projector (@identity K 2) (top 1)) (projector (turned K) (top 1)))
    <= norm (difference (spectral (@identity K 2) a) (spectral (turned K) b)) / (a ord0 - b ord_max).
  apply: all => //; [apply: down | apply: down |]; rewrite /a /b /=; lra.
rewrite /norm /projector !distance /a /b /top /=.
rewrite (_ : (1 - 0) * ((1 - 0) * 1) + (0 - 1) * ((0 - 1) * 1) = 2); last ring.
rewrite (_ : (1 - 0) * ((1 - 0) * 1) + (1 / 2 - 1 / 2) * ((1 / 2 - 1 / 2) * 1) = 1); last field.
by rewrite sqrt_1; have := sqrt2_above1; lra.
Qed.

(** Rotations, over the complex numbers. *)
Definition line (c s : R) (i j : 'I_2) : complex_numbers := Complex.RtoC
  (match (i : nat), (j : nat) with 0%nat, 0%nat => c | 0%nat, _ => - s | _, 0%nat => s | _, _ => c end).

Lemma total_two (f : 'I_2 -> complex_numbers) : total f = plus (f ord0) (f ord_max).
Proof.
rewrite /total !big_ord_recl big_ord0 (_ : lift ord0 ord0 = ord_max); last exact: val_inj.
by congr plus; rewrite /= /Complex.Cplus /=; case: (f ord_max) => x y /=; rewrite !Rplus_0_r.
Qed.

Lemma line_unitary c s : c ^ 2 + s ^ 2 = 1 -> unitary (line c s).
Proof.
move=> one; split; apply: all_two; apply: all_two;
  rewrite /dot total_two /column /line /delta /= /Complex.Cplus /Complex.Cmult /Complex.Cconj /Complex.RtoC /=;
  congr (_, _); nra.
Qed.

Lemma entry (x : R) : re (times (Complex.RtoC x : complex_numbers) (conj (Complex.RtoC x : complex_numbers))) = x ^ 2.
Proof. by rewrite /= /Complex.RtoC /=; ring. Qed.

Lemma line_distance c s (a : 'I_2 -> R) : c ^ 2 + s ^ 2 = 1 ->
  frobenius2 (difference (spectral (line c s) a) (spectral (@identity complex_numbers 2) a)) =
    2 * s ^ 2 * (a ord0 - a ord_max) ^ 2.
Proof.
move=> one; rewrite (distance_by_overlaps _ _ (line_unitary one) (@identity_unitary complex_numbers 2)).
rewrite !two_terms !overlap_identity /abs2 /line !entry /=; ring.
Qed.

Lemma rotation_distance c s : c ^ 2 + s ^ 2 = 1 ->
  frobenius2 (difference (line c s) (@identity complex_numbers 2)) = 4 * (1 - c).
Proof.
move=> one; rewrite /frobenius2 /inner !two_terms /difference /line /identity /delta /= /Complex.Cminus /Complex.Cplus
  /Complex.Copp /Complex.RtoC /=.
transitivity (2 * (c ^ 2 + s ^ 2) - 4 * c + 2); last by rewrite one; ring.
rewrite /=; ring.
Qed.

(** The factor [2 largest] for every real spectrum whose largest value is positive. *)
Definition printed_rotation := forall (c s : R) (a : 'I_2 -> R), c ^ 2 + s ^ 2 = 1 -> 0 < c -> descending a ->
  0 < a ord0 ->
  norm (difference (spectral (line c s) a) (spectral (@identity complex_numbers 2) a)) <=
    2 * a ord0 * norm (difference (line c s) (@identity complex_numbers 2)).

Definition printed_images := forall (c s : R) (a : 'I_2 -> R) omega,
  c ^ 2 + s ^ 2 = 1 -> 0 < c -> descending a -> 0 < a ord0 -> 0 < omega ->
  norm (difference (projector (line c s) (top 1)) (projector (@identity complex_numbers 2) (top 1))) <= omega / (2 * a ord0) ->
  norm (difference (spectral (line c s) a) (spectral (@identity complex_numbers 2) a)) <= omega.

Definition wide (i : 'I_2) := if (i : nat) is 0%nat then 1 else - 15.

Lemma wide_down : descending wide.
Proof. by apply: all_two; apply: all_two => //= _; rewrite /wide /=; lra. Qed.

(* @refutes MWKTV-E35 rotation_refuted finite dimension, only: two dimensions *)
Theorem rotation_refuted : ~ printed_rotation.
Proof.
have one : (4 / 5) ^ 2 + (3 / 5) ^ 2 = 1 by field.
move=> /(_ (4 / 5) (3 / 5) wide one) all; have : norm (difference (spectral (line (4 / 5) (3 / 5)) wide)
    (spectral (@identity complex_numbers 2) wide)) <= 2 * wide ord0 * norm (difference (line (4 / 5) (3 / 5)) (@identity complex_numbers 2)).
  by apply: all; [lra | exact: wide_down | rewrite /wide /=; lra].
rewrite /norm line_distance // rotation_distance // /wide /= => claim.
have [l0 r0] := (sqrt_pos (2 * ((3 / 5) * (3 / 5 * 1)) * ((1 - - 15) * ((1 - - 15) * 1))), sqrt_pos (4 * (1 - 4 / 5))).
have := pow_incr _ _ 2 (Logic.conj l0 claim); rewrite Rpow_mult_distr !sqrt_square; lra.
Qed.

(* @refutes MWKTV-E39 images_refuted finite dimension, only: two dimensions *)
Theorem images_refuted : ~ printed_images.
Proof.
have one : (4 / 5) ^ 2 + (3 / 5) ^ 2 = 1 by field.
move=> /(_ (4 / 5) (3 / 5) wide 2 one) all.
have : norm (difference (spectral (line (4 / 5) (3 / 5)) wide) (spectral (@identity complex_numbers 2) wide)) <= 2.
  apply: all; [lra | exact: wide_down | rewrite /wide /=; lra | lra |].
  rewrite /norm /projector line_distance // /top /wide /=; apply: (Rle_trans _ (sqrt 1)); last by rewrite sqrt_1; lra.
  by apply: sqrt_le_1_alt; lra.
rewrite /norm line_distance // /wide /= => claim.
have := pow_incr _ _ 2 (Logic.conj (sqrt_pos _) claim); rewrite sqrt_square; lra.
Qed.

(** The eigenvalues of a dilation, by modulus, are each singular value and its negative: [mu]. *)
Definition printed_gap := forall (s mu : nat -> R) (k : nat), (forall i, 0 <= s i.+1 <= s i) -> 
  (forall i, mu i.*2 = s i /\ mu i.*2.+1 = - s i) -> Rabs (mu k) - Rabs (mu k.+1) = s k - s k.+1.

(* @refutes HP-B gap_refuted real, only: the gap; the eigenvalues of a dilation are given *)
Theorem gap_refuted : ~ printed_gap.
Proof.
pose s (i : nat) := match i with 0%nat => 2 | 1%nat => 1 | _ => 0 end.
pose mu i := if odd i then - s i./2 else s i./2.
move=> /(_ s mu 0%nat) all; have : Rabs (mu 0%nat) - Rabs (mu 1%nat) = s 0%nat - s 1%nat.
  apply: all => [[|[|i]]|i]; rewrite /s ?/mu /= ?odd_double /= ?uphalf_double ?doubleK //; lra.
by rewrite /mu /s /= Rabs_Ropp; lra.
Qed.
