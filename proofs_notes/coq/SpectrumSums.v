(** Sums over a spectrum: what the places of a packing cost, and the best split of a budget.

    Beside "Best split for a projection" of proofs_notes/orbit.md and "The range of places" of
    proofs_notes/lower_bounds.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Scalars Orbit.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

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
