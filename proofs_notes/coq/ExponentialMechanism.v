(** The exponential mechanism on finitely many outcomes: its utility.

    [base] is the base law, [score] what the data give to each outcome; the mechanism draws an outcome with probability
    proportional to [base x * exp (kappa * score x)].  Its privacy, on any space, is that of IntegralMechanism.v.
    Beside "Utility of the exponential mechanism" of proofs_notes/privacy.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Mechanism.
Variables (T : finType) (base : T -> R) (kappa : R).
Hypothesis base_ge0 : forall x, 0 <= base x.
Hypothesis base_law : sum base = 1.

Definition weight (score : T -> R) x := base x * exp (kappa * score x).
Definition Z score := sum (weight score).
Definition law score x := weight score x / Z score.
Definition probability score event := sum_if event (law score).

Lemma weight_ge0 score x : 0 <= weight score x.
Proof. by apply: Rmult_le_pos => //; exact: exp_ge0. Qed.

Lemma Z_gt0 score : 0 < Z score.
Proof.
have [x x0] : exists x, 0 < base x by apply: sum_pos_term; rewrite base_law; lra.
by apply: (sum_pos (i := x)); [exact: weight_ge0 | apply: Rmult_lt_0_compat => //; exact: exp_pos].
Qed.

(** Outcomes that miss [opt] by [t] or more; [opt] need not be the largest score, nor even bound the scores. *)
Section Utility.
Variables (score : T -> R) (opt : R).

Definition measure event := sum_if event base.
Definition misses t x := at_most (score x) (opt - t).
Definition near s x : bool := ~~ misses s x.

Lemma missing_weight t : 0 <= kappa ->
  sum_if (misses t) (weight score) <= exp (kappa * (opt - t)) * measure (misses t).
Proof.
move=> k0; rewrite -sum_if_scale; apply: sum_if_le => x; rewrite /misses.
case: at_mostP => // le _; rewrite /weight Rmult_comm; apply: Rmult_le_compat_r => //.
by apply: exp_le; apply: Rmult_le_compat_l.
Qed.

Lemma near_weight s : 0 <= kappa -> exp (kappa * (opt - s)) * measure (near s) <= Z score.
Proof.
move=> k0; rewrite -sum_if_scale.
apply: Rle_trans (sum_if_le_sum (near s) (weight_ge0 score)); apply: sum_if_le => x; rewrite /near /misses.
case: at_mostP => // gt _; rewrite /weight [base x * _]Rmult_comm; apply: Rmult_le_compat_r => //.
by apply: exp_le; apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma measure_le1 event : 0 <= measure event <= 1.
Proof. by split; [exact: sum_if_ge0 | rewrite -base_law; exact: sum_if_le_sum]. Qed.

Lemma tail s t : 0 <= kappa -> 0 < measure (near s) ->
  probability score (misses t) <= exp (- (kappa * (t - s))) * (measure (misses t) / measure (near s)).
Proof.
move=> k0 s0; have Z0 := Z_gt0 score.
have -> : probability score (misses t) = sum_if (misses t) (weight score) / Z score.
  by rewrite /probability /law /Rdiv [RHS]Rmult_comm -sum_if_scale; apply: sum_ext => x; case: (misses t x); ring.
apply: div_le => //; apply: Rle_trans (missing_weight t k0) _.
have -> : exp (kappa * (opt - t)) = exp (- (kappa * (t - s))) * exp (kappa * (opt - s)).
  by rewrite -exp_plus; congr exp; ring.
have := near_weight s k0; have := measure_le1 (misses t).
move: (measure (misses t)) (measure (near s)) s0 (exp (kappa * (opt - s))) => m n n0 e [m0 _] le.
rewrite !Rmult_assoc; apply: Rmult_le_compat_l; first exact: exp_ge0.
rewrite [e * m]Rmult_comm; apply: Rmult_le_compat_l => //.
by rewrite [/ n * _]Rmult_comm; apply: le_div.
Qed.

(* @proves MWKTV-T5.4 exponential_mechanism_utility finite outcomes *)
(* @proves MWKTV-E5 exponential_mechanism_utility finite outcomes *)
Theorem exponential_mechanism_utility :
  0 <= kappa ->
  (forall s t, 0 < measure (near s) ->
    probability score (misses t) <= exp (- (kappa * (t - s))) * (measure (misses t) / measure (near s))) /\
  (forall epsilon sensitivity t, 0 < sensitivity -> kappa = epsilon / (2 * sensitivity) -> 0 < measure (near (t / 2)) ->
    probability score (misses t) <= exp (- (epsilon * t / (4 * sensitivity))) / measure (near (t / 2))).
Proof.
move=> k0; split=> [s t|epsilon sensitivity t s0 k half]; first exact: tail.
apply: Rle_trans (tail t k0 half) _.
have -> : kappa * (t - t / 2) = epsilon * t / (4 * sensitivity) by rewrite k; field; lra.
apply: Rmult_le_compat_l; first exact: exp_ge0.
rewrite -[X in _ <= X]Rmult_1_l; apply: Rmult_le_compat_r; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
by case: (measure_le1 (misses t)).
Qed.
End Utility.
End Mechanism.
