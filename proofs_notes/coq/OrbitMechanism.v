(** The exponential mechanism on finitely many points of an orbit, and sums over a spectrum.

    The points are H_t = spectral (U t) lambda (Orbit.v), [t] in a finite type, with the base law [base]; the score of a
    point is [inner M H_t].  Where a row [x] is replaced by [y], M' = M - x x^* + y y^*.
    Beside "Exact accounting on the orbit" and "The orbit mechanism as printed" of proofs_notes/privacy_spectral.md, "Best
    split for a projection" of proofs_notes/orbit.md and "The range of places" of proofs_notes/lower_bounds.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Privacy Scalars Orbit ExponentialMechanism.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Mechanism.
Variables (K : scalars) (d : nat) (T : finType).
Add Ring scalar_ring_of_mechanism : (ring_laws K).
Variables (base : T -> R) (U : T -> 'I_d -> 'I_d -> K) (lambda : 'I_d -> R) (largest smallest : 'I_d).
Hypothesis base_law : is_law base.
Hypothesis U1 : forall t, unitary (U t).
Hypothesis range : forall i, lambda smallest <= lambda i <= lambda largest.

Definition score (M : 'I_d -> 'I_d -> K) t := inner M (spectral (U t) lambda).
Definition orbit_law kappa M := ExponentialMechanism.law base kappa (score M).
Definition replaced (M : 'I_d -> 'I_d -> K) (x y : 'I_d -> K) i j := plus (minus (M i j) (outer x i j)) (outer y i j).

Lemma orbit_law_ratio kappa M M' lo hi t : 0 <= kappa -> (forall t, lo <= score M' t - score M t <= hi) ->
  orbit_law kappa M' t <= exp (kappa * (hi - lo)) * orbit_law kappa M t.
Proof.
by move=> k0 change; case: base_law => b0 b1; apply: (law_ratio b0 b1 k0) => s _; exact: change.
Qed.

Lemma orbit_law_ge0 kappa M t : 0 <= orbit_law kappa M t.
Proof.
case: base_law => b0 b1; apply: le_div; first exact: (Z_gt0 kappa b0 b1).
by rewrite Rmult_0_l; exact: weight_ge0.
Qed.

(* @proves MWKTV-L6.2 private_sampler finite outcomes, decompositions given *)
Theorem private_sampler epsilon (M : 'I_d -> 'I_d -> K) (x y : 'I_d -> K) (p p' : T -> R) :
  0 <= lambda smallest -> 0 < lambda largest -> 0 <= epsilon -> norm2 x <= 1 -> norm2 y <= 1 ->
  let kappa := epsilon / (4 * lambda largest) in
  let M' := replaced M x y in
  (forall t, exp (- (epsilon / 4)) * orbit_law kappa M t <= p t <= exp (epsilon / 4) * orbit_law kappa M t) ->
  (forall t, exp (- (epsilon / 4)) * orbit_law kappa M' t <= p' t <= exp (epsilon / 4) * orbit_law kappa M' t) ->
  private epsilon 0 p p' /\ private epsilon 0 p' p.
Proof.
move=> low high e0 x1 y1 kappa M' near near'.
have k0 : 0 <= kappa by apply: le_div; lra.
have change t : - lambda largest <= score M' t - score M t <= lambda largest.
  have small : Rabs (score M' t - score M t) <= lambda largest.
    by have [_ bound] := score_sensitivity M (U1 t) range x1 y1; exact: bound.
  have := Rle_abs (score M' t - score M t); have := Rle_abs (- (score M' t - score M t)); rewrite Rabs_Ropp; lra.
have back t : - lambda largest <= score M t - score M' t <= lambda largest by have := change t; lra.
have half : kappa * (lambda largest - - lambda largest) = epsilon / 2 by rewrite /kappa; field; lra.
have both (N N' : 'I_d -> 'I_d -> K) (q q' : T ->
  R) : (forall t, - lambda largest <= score N' t - score N t <= lambda largest) ->
    (forall t, exp (- (epsilon / 4)) * orbit_law kappa N t <= q t) ->
    (forall t, q' t <= exp (epsilon / 4) * orbit_law kappa N' t) -> private epsilon 0 q' q.
  move=> moved below above; apply/pure_outcomes => t; apply: Rle_trans (above t) _.
  have ratio := orbit_law_ratio t k0 moved; rewrite half in ratio.
  have := Rmult_le_compat_l _ _ _ (exp_ge0 epsilon) (below t); rewrite -Rmult_assoc -exp_plus => le;
    apply: Rle_trans le.
  rewrite (_ : epsilon + - (epsilon / 4) = epsilon / 4 + epsilon / 2); last by field.
  by rewrite exp_plus Rmult_assoc; apply: Rmult_le_compat_l => //; exact: exp_ge0.
split.
  apply: (both M' M p' p back) => t; [by case: (near' t) | by case: (near t)].
apply: (both M M' p p' change) => t; [by case: (near t) | by case: (near' t)].
Qed.

(* @proves MWKTV-L6.2X loss_by_spread finite outcomes, decompositions given, only: the upper bound of the loss *)
Theorem loss_by_spread kappa (a b : R) (u v : 'I_d -> K) (M M' : 'I_d -> 'I_d -> K) :
  0 <= kappa -> 0 <= a -> 0 <= b -> norm2 u = 1 -> norm2 v = 1 ->
  (forall i j, M' i j = plus (minus (M i j) (times (real K b) (outer v i j))) (times (real K a) (outer u i j))) ->
  let bound := kappa * ((a + b) * (lambda largest - lambda smallest)) in
  forall t, orbit_law kappa M' t <= exp bound * orbit_law kappa M t /\
    orbit_law kappa M t <= exp bound * orbit_law kappa M' t.
Proof.
move=> k0 a0 b0 u1 v1 change bound.
have moved t : score M' t - score M t = a * inner (outer u) (spectral (U t) lambda) - b * inner (outer v)
  (spectral (U t) lambda).
  rewrite /score -!inner_real_scale -!sum_sub; apply: sum_ext => i; rewrite -!sum_sub; apply: sum_ext => j.
  by rewrite -!re_minus change; congr re; ring.
have between t : a * lambda smallest - b * lambda largest <= score M' t - score M t
    <= a * lambda largest - b * lambda smallest.
  have := score_range u (U1 t) range; have := score_range v (U1 t) range;
    rewrite u1 v1 !Rmult_1_r moved => -[v_low v_high] [u_low u_high].
  have := Rmult_le_compat_l _ _ _ a0 u_low; have := Rmult_le_compat_l _ _ _ a0 u_high.
  have := Rmult_le_compat_l _ _ _ b0 v_low; have := Rmult_le_compat_l _ _ _ b0 v_high; lra.
have back t : - (a * lambda largest - b * lambda smallest)
  <= score M t - score M' t <= - (a * lambda smallest - b * lambda largest).
  by have := between t; lra.
move=> t; split.
  have := orbit_law_ratio t k0 between; rewrite (_ : _ - _ - _ = (a + b) * (lambda largest - lambda smallest)) //; ring.
have := orbit_law_ratio t k0 back; rewrite (_ : _ - _ = (a + b) * (lambda largest - lambda smallest)) //; ring.
Qed.
End Mechanism.

(** Sums over a spectrum. *)
(* @proves MWKTV-R2.3a weighted_gaps real *)
Theorem weighted_gaps d (lambda : 'I_d -> R) (first i : 'I_d) (k : nat) : descending lambda ->
  (forall j, 0 <= lambda j) ->
  (forall j : 'I_d, (k <= j)%nat -> lambda j = 0) -> first = 0%nat :> nat -> (i.+1.*2 <= d)%nat ->
  INR i.+1 * (lambda i - lambda (rev_ord i)) ^ 2 <= INR k * lambda first ^ 2.
Proof.
move=> down pos zeros first0 half.
have before : lambda (rev_ord i) <= lambda i.
  apply: down; rewrite /= -(leq_add2r i.+1) subnK; last exact: ltn_ord.
  by apply: leq_trans half; rewrite -addnn leq_add2r leqnSn.
have top : lambda i <= lambda first by apply: down; rewrite first0.
have p := pos (rev_ord i).
case: (leqP k i) => [ki|ik].
  rewrite (zeros i ki) in before *; have -> : lambda (rev_ord i) = 0 by lra.
  rewrite Rminus_0_r (_ : 0 ^ 2 = 0) ?Rmult_0_r; last ring.
  by apply: Rmult_le_pos; [exact: pos_INR | exact: pow2_ge_0].
apply: Rmult_le_compat; [exact: pos_INR | exact: pow2_ge_0 | by apply: le_INR; apply/leP | apply: pow_incr; lra].
Qed.

(** Shares [eps i] of a budget [epsilon], with the cost [d * lambda i / eps i] each. *)
Section Budget.
Variables (I : finType) (lambda : I -> R) (d epsilon : R) (top : I).
Hypothesis lambda_ge0 : forall i, 0 <= lambda i.
Hypothesis largest : forall i, lambda i <= lambda top.
Hypothesis d_ge0 : 0 <= d.
Hypothesis epsilon_gt0 : 0 < epsilon.

Definition cost (eps : I -> R) := sum (fun i => d * lambda i / eps i).
Definition roots := sum (fun i => sqrt (lambda i)).

Lemma cost_lower eps : (forall i, 0 < eps i) -> sum eps = epsilon -> d / epsilon * roots ^ 2 <= cost eps.
Proof.
move=> eps0 total.
have := cauchy_schwarz (fun i => sqrt (lambda i / eps i)) (fun i => sqrt (eps i)).
have q0 i : 0 <= lambda i / eps i by apply: le_div => //; rewrite Rmult_0_l.
rewrite (sum_ext (g := fun i => sqrt (lambda i))) => [|i]; last first.
  rewrite -sqrt_mult //; [congr sqrt; field; have := eps0 i; lra | have := eps0 i; lra].
rewrite (sum_ext (f := fun i => sqrt (lambda i / eps i) ^ 2) (g := fun i => lambda i / eps i)) => [|i];
  last by rewrite /= Rmult_1_r sqrt_sqrt.
rewrite (sum_ext (f := fun i => sqrt (eps i) ^ 2) (g := eps)) => [|i];
  last by rewrite /= Rmult_1_r sqrt_sqrt //; apply: Rlt_le.
rewrite total -/roots => le.
have -> : cost eps = d * sum (fun i => lambda i / eps i) by rewrite -sum_scale; apply: sum_ext => i; rewrite /Rdiv;
  ring.
rewrite /Rdiv Rmult_assoc; apply: Rmult_le_compat_l => //; rewrite Rmult_comm; exact: div_le.
Qed.

Lemma roots_upper : roots ^ 2 <= INR #|I| ^ 2 * lambda top.
Proof.
have : roots <= INR #|I| * sqrt (lambda top) by rewrite -sum_const; apply: sum_le => i; exact: sqrt_le_1_alt.
have r0 : 0 <= roots by apply: sum_ge0 => i; exact: sqrt_pos.
move=> le; have := pow_incr _ _ 2 (Logic.conj r0 le); rewrite Rpow_mult_distr (_ : sqrt _ ^ 2 = lambda top) //.
by rewrite /= Rmult_1_r sqrt_sqrt.
Qed.

(* @proves MWKTV-S3a best_shares real, only: attained where every value is positive; the infimum at zeros is only a bound *)
Theorem best_shares :
  (forall eps, (forall i, 0 < eps i) -> sum eps = epsilon -> d / epsilon * roots ^ 2 <= cost eps) /\
  ((forall i, 0 < lambda i) -> let eps i := epsilon * sqrt (lambda i) / roots in
    (forall i, 0 < eps i) /\ sum eps = epsilon /\ cost eps = d / epsilon * roots ^ 2) /\
  d / epsilon * roots ^ 2 <= d * INR #|I| ^ 2 * lambda top / epsilon /\
  ((forall i, lambda i = lambda top) -> d / epsilon * roots ^ 2 = d * INR #|I| ^ 2 * lambda top / epsilon).
Proof.
split; first exact: cost_lower.
split=> [positive eps|].
  have s0 i : 0 < sqrt (lambda i) by apply: sqrt_lt_R0.
  have r0 : 0 < roots by apply: (sum_pos (i := top)) => [i|]; [exact: sqrt_pos | exact: s0].
  split=> [i|]; first by apply: Rdiv_lt_0_compat => //; exact: Rmult_lt_0_compat.
  split.
    rewrite /eps (sum_ext (g := fun i => epsilon / roots * sqrt (lambda i))) => [|i]; last by rewrite /Rdiv; ring.
    by rewrite sum_scale -/roots; field; lra.
  rewrite /cost (sum_ext (g := fun i => d * roots / epsilon * sqrt (lambda i))) => [|i].
    by rewrite sum_scale -/roots; field; lra.
  by rewrite /eps -{1}(sqrt_sqrt (lambda i)) //; field; have := s0 i; lra.
split.
  rewrite (_ : d * INR #|I| ^ 2 * lambda top / epsilon = d / epsilon * (INR #|I| ^ 2 * lambda top)); last by field; lra.
  by apply: Rmult_le_compat_l; [apply: le_div; lra | exact: roots_upper].
move=> same; have -> : roots = INR #|I| * sqrt (lambda top).
  by rewrite -sum_const; apply: sum_ext => i; rewrite same.
by rewrite Rpow_mult_distr (_ : sqrt _ ^ 2 = lambda top); [field; lra | rewrite /= Rmult_1_r sqrt_sqrt].
Qed.
End Budget.
