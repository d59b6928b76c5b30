(** The exponential mechanism on finitely many outcomes: its privacy loss and its utility.

    [base] is the base law, [score] what the data give to each outcome; the mechanism draws an outcome with probability
    proportional to [base x * exp (kappa * score x)].  [charged x] says that the outcome has positive base measure.
    Beside "Exponential mechanism" and "Utility of the exponential mechanism" of proofs_notes/privacy.md, where the
    outcomes may be a continuum: [Z] is the normaliser there too, [other] is the score of a neighbour, and [lo] and [hi]
    are the infimum and supremum of the change of the score. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Mechanism.
Variables (T : finType) (base : T -> R) (kappa : R).
Hypothesis base_ge0 : forall x, 0 <= base x.
Hypothesis base_law : sum base = 1.

Definition charged x := 0 < base x.
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

Section Privacy.
Variables (score other : T -> R) (lo hi : R).
Hypothesis kappa_ge0 : 0 <= kappa.
Hypothesis change : forall x, charged x -> lo <= other x - score x <= hi.

Definition shift := ln (Z other / Z score).
Definition loss x := ln (law other x / law score x).

Lemma weight_change x : exp (kappa * lo) * weight score x <= weight other x <= exp (kappa * hi) * weight score x.
Proof.
case: (base_ge0 x) => [x0|x0]; last by rewrite /weight -x0; lra.
have [up down] := change x0; rewrite /weight.
have move_base c : exp c * (base x * exp (kappa * score x)) = base x * exp (c + kappa * score x).
  by rewrite exp_plus; ring.
rewrite !move_base; split; apply: Rmult_le_compat_l => //; apply: exp_le.
  by rewrite -Rmult_plus_distr_l; apply: Rmult_le_compat_l => //; lra.
by rewrite -Rmult_plus_distr_l; apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma shift_between : kappa * lo <= shift <= kappa * hi.
Proof.
have s0 := Z_gt0 score; have o0 := Z_gt0 other.
have q0 : 0 < Z other / Z score by apply: Rdiv_lt_0_compat.
rewrite -[kappa * lo]ln_exp -[kappa * hi]ln_exp; split; apply: ln_le => //; first exact: exp_pos.
  by apply: le_div => //; rewrite -sum_scale; apply: sum_le => x; case: (weight_change x).
by apply: div_le => //; rewrite -sum_scale; apply: sum_le => x; case: (weight_change x).
Qed.

Lemma loss_formula x : charged x -> loss x = kappa * (other x - score x) - shift.
Proof.
move=> x0; have s0 := Z_gt0 score; have o0 := Z_gt0 other; have b0 : base x <> 0 by rewrite /charged in x0; lra.
have e0 := exp_pos (kappa * score x); have e1 := exp_pos (kappa * other x).
rewrite -(ln_exp (kappa * (other x - score x))) /shift /loss -ln_div; last 2 first.
- exact: exp_pos.
- by apply: Rdiv_lt_0_compat.
congr ln; rewrite Rmult_minus_distr_l exp_plus exp_Ropp /law /weight; field.
by repeat split; lra.
Qed.

Lemma law_ratio x : law other x <= exp (kappa * (hi - lo)) * law score x.
Proof.
have [_ up] := weight_change x; have s0 := Z_gt0 score; have o0 := Z_gt0 other.
have Zs : exp (kappa * lo) * Z score <= Z other.
  by rewrite -sum_scale; apply: sum_le => y; case: (weight_change y).
apply: div_le => //; apply: Rle_trans up _.
have -> : exp (kappa * hi) = exp (kappa * (hi - lo)) * exp (kappa * lo) by rewrite -exp_plus; congr exp; ring.
have := le_div s0 Zs; move: (weight_ge0 score x) (exp_ge0 (kappa * (hi - lo))).
rewrite /law; move: (weight score x) (exp (kappa * (hi - lo))) (exp (kappa * lo)) => w e f w0 e0 le.
rewrite (_ : e * (w / Z score) * Z other = e * (w * (Z other / Z score))); last by field; lra.
by rewrite Rmult_assoc [f * w]Rmult_comm; apply: Rmult_le_compat_l => //; apply: Rmult_le_compat_l.
Qed.

Theorem event_ratio event : probability other event <= exp (kappa * (hi - lo)) * probability score event.
Proof. by rewrite -sum_if_scale; apply: sum_if_le => x _; exact: law_ratio. Qed.
End Privacy.

(* @proves MWKTV-T5.3 exponential_mechanism_loss finite outcomes *)
Theorem exponential_mechanism_loss (score other : T -> R) (lowest highest : T) (sensitivity : R) :
  let change x := other x - score x in
  let shift := ln (Z other / Z score) in
  let loss x := ln (law other x / law score x) in
  let largest := Rmax (kappa * change highest - shift) (shift - kappa * change lowest) in
  0 <= kappa ->
  charged lowest -> charged highest ->
  (forall x, charged x -> change lowest <= change x <= change highest) ->
  (forall x, charged x -> Rabs (change x) <= sensitivity) ->
  (forall x, charged x -> Rabs (loss x) <= largest) /\
  (exists x, charged x /\ Rabs (loss x) = largest) /\
  largest <= kappa * (change highest - change lowest) <= 2 * kappa * sensitivity /\
  (forall epsilon event, 0 < sensitivity -> kappa = epsilon / (2 * sensitivity) ->
    probability other event <= exp epsilon * probability score event).
Proof.
move=> change shift loss largest k0 low0 high0 between small.
have [above below] : kappa * change lowest <= shift <= kappa * change highest := shift_between k0 between.
have formula x : charged x -> loss x = kappa * change x - shift by exact: loss_formula.
have scaled x : charged x -> kappa * change lowest <= kappa * change x <= kappa * change highest.
  by move=> /between [l h]; split; apply: Rmult_le_compat_l.
have range : kappa * (change highest - change lowest) <= 2 * kappa * sensitivity.
  rewrite [2 * kappa]Rmult_comm Rmult_assoc; apply: Rmult_le_compat_l => //.
  have := Rle_abs (change highest); have := Rle_abs (- change lowest); rewrite Rabs_Ropp.
  by have := small _ low0; have := small _ high0; rewrite /change; lra.
have up := Rmax_l (kappa * change highest - shift) (shift - kappa * change lowest).
have down := Rmax_r (kappa * change highest - shift) (shift - kappa * change lowest).
split=> [x x0|]; first by rewrite formula //; apply: Rabs_le; move: (scaled x x0); rewrite /largest; lra.
split; last split; last first.
- move=> epsilon event s0 k; apply: Rle_trans (event_ratio k0 between event) _.
  apply: Rmult_le_compat_r; first by apply: sum_if_ge0 => x; apply: le_div; [exact: Z_gt0 | rewrite Rmult_0_l;
    exact: weight_ge0].
  apply: exp_le; apply: Rle_trans range _; rewrite k; apply: Req_le; field; lra.
- split=> //; apply: Rmax_lub; lra.
- rewrite /largest; case: (Rle_dec (shift - kappa * change lowest) (kappa * change highest - shift)) => cmp.
    by exists highest; split=> //; rewrite formula // Rmax_left // Rabs_pos_eq //; lra.
  by exists lowest; split=> //; rewrite formula // Rmax_right; [rewrite Rabs_minus_sym Rabs_pos_eq; lra | lra].
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
