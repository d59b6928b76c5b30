(** Finite sums of real numbers, over any finite type: what every other file of this folder counts with.

    [sum f] is the sum of all values of [f]; [sum_if event f] is that over the indices with [event i = true], so that
    with a probability law [p] it is the probability of the event. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.
Delimit Scope nat_scope with nat.

Lemma Rplus_associative : associative Rplus. Proof. by move=> x y z; ring. Qed.
Canonical Rplus_monoid := Monoid.Law Rplus_associative Rplus_0_l Rplus_0_r.
Canonical Rplus_commutative_monoid := Monoid.ComLaw Rplus_comm.

(** Comparisons as bits. *)
Definition at_most (x y : R) : bool := Rle_dec x y.
Definition less (x y : R) : bool := Rlt_dec x y.

Lemma at_mostP x y : reflect (x <= y) (at_most x y).
Proof. by rewrite /at_most; case: (Rle_dec x y) => /= le; constructor. Qed.

Lemma lessP x y : reflect (x < y) (less x y).
Proof. by rewrite /less; case: (Rlt_dec x y) => /= lt; constructor. Qed.

Definition sum {I : finType} (f : I -> R) : R := \big[Rplus/0]_i f i.
Definition sum_if {I : finType} (event : I -> bool) (f : I -> R) : R := sum (fun i => if event i then f i else 0).

Section Sums.
Variables I J : finType.
Implicit Types (f g : I -> R) (event : I -> bool).

Lemma sum_ext f g : (forall i, f i = g i) -> sum f = sum g.
Proof. by move=> e; apply: eq_bigr => i _. Qed.

Lemma sum_le f g : (forall i, f i <= g i) -> sum f <= sum g.
Proof. by move=> le; apply: (big_ind2 Rle) => [|a b c d|i _]; [lra | lra | apply: le]. Qed.

Lemma sum_zero : sum (fun _ : I => 0) = 0.
Proof. by rewrite /sum big1. Qed.

Lemma sum_ge0 f : (forall i, 0 <= f i) -> 0 <= sum f.
Proof. by move=> f0; rewrite -sum_zero; apply: sum_le. Qed.

Lemma sum_add f g : sum (fun i => f i + g i) = sum f + sum g.
Proof. exact: big_split. Qed.

Lemma sum_scale c f : sum (fun i => c * f i) = c * sum f.
Proof. by apply: (big_ind2 (fun x y => x = c * y)) => [|a b d e -> ->|i _]; ring. Qed.

Lemma sum_opp f : sum (fun i => - f i) = - sum f.
Proof. by rewrite -[RHS]Rmult_1_l Ropp_mult_distr_r_reverse Ropp_mult_distr_l -sum_scale; apply: sum_ext => i;
  ring. Qed.

Lemma sum_sub f g : sum (fun i => f i - g i) = sum f - sum g.
Proof. by rewrite /Rminus -sum_opp -sum_add. Qed.

Lemma sum_swap (f : I -> J -> R) : sum (fun i => sum (f i)) = sum (fun j => sum (fun i => f i j)).
Proof. exact: exchange_big. Qed.

Lemma sum_const c : sum (fun _ : I => c) = INR #|I| * c.
Proof.
rewrite /sum big_const; elim: #|I| => [|n IH]; first by rewrite /= Rmult_0_l.
by rewrite iterS IH S_INR; ring.
Qed.

(** One term apart from the others. *)
Lemma sum_split f i : sum f = f i + sum_if (fun k => k != i) f.
Proof. by rewrite /sum_if /sum (bigD1 i) //= -big_mkcond. Qed.

Lemma sum_one f i : (forall k, k <> i -> f k = 0) -> sum f = f i.
Proof.
by move=> zero; rewrite /sum (bigD1 i) //= big1 ?Rplus_0_r // => k /eqP ki; apply: zero.
Qed.

Lemma sum_term f i : (forall k, 0 <= f k) -> f i <= sum f.
Proof.
move=> f0; rewrite (sum_split f i) -[X in X <= _]Rplus_0_r; apply: Rplus_le_compat_l.
by apply: sum_ge0 => k; case: (k != i); [exact: f0 | lra].
Qed.

Lemma sum_abs f : Rabs (sum f) <= sum (fun i => Rabs (f i)).
Proof.
apply: (big_ind2 (fun x y => Rabs x <= y)) => [|a b c d ab cd|i _]; rewrite ?Rabs_R0; try lra.
by apply: Rle_trans (Rabs_triang _ _) _; lra.
Qed.

(** Terms that are zero although none is negative. *)
Lemma sum_eq0 f i : (forall k, 0 <= f k) -> sum f = 0 -> f i = 0.
Proof. by move=> f0 s0; apply: Rle_antisym => //; rewrite -s0; apply: sum_term. Qed.

Lemma sum_pos f i : (forall k, 0 <= f k) -> 0 < f i -> 0 < sum f.
Proof. by move=> f0 fi; apply: Rlt_le_trans (sum_term i f0). Qed.

Lemma sum_if_ext event event' f : (forall i, event i = event' i) -> sum_if event f = sum_if event' f.
Proof. by move=> e; apply: sum_ext => i; rewrite e. Qed.

Lemma sum_if_le event f g : (forall i, event i -> f i <= g i) -> sum_if event f <= sum_if event g.
Proof. by move=> le; apply: sum_le => i; case: (boolP (event i)) => [/le //|_]; lra. Qed.

Lemma sum_if_ge0 event f : (forall i, 0 <= f i) -> 0 <= sum_if event f.
Proof. by move=> f0; apply: sum_ge0 => i; case: (event i) => //; lra. Qed.

Lemma sum_if_scale event c f : sum_if event (fun i => c * f i) = c * sum_if event f.
Proof. by rewrite /sum_if -sum_scale; apply: sum_ext => i; case: (event i); ring. Qed.

Lemma sum_if_le_sum event f : (forall i, 0 <= f i) -> sum_if event f <= sum f.
Proof. by move=> f0; apply: sum_le => i; case: (event i) => //; lra. Qed.

Lemma sum_if_not event f : sum_if event f + sum_if (fun i => ~~ event i) f = sum f.
Proof. by rewrite /sum_if -sum_add; apply: sum_ext => i; case: (event i) => /=; ring. Qed.
End Sums.

Lemma sum_prod (I J : finType) (f : I * J -> R) : sum f = sum (fun i => sum (fun j => f (i, j))).
Proof. by rewrite /sum pair_big; apply: eq_bigr => [[i j]]. Qed.

Lemma sum_sumtype (I J : finType) (f : I + J -> R) : sum f = sum (fun i => f (inl i)) + sum (fun j => f (inr j)).
Proof. exact: big_sumType. Qed.

Lemma sum_mult (I J : finType) (f : I -> R) (g : J -> R) : sum f * sum g = sum (fun i => sum (fun j => f i * g j)).
Proof. by rewrite Rmult_comm -sum_scale; apply: sum_ext => i; rewrite sum_scale; ring. Qed.

Lemma sum_bijection (I J : finType) (h : I -> J) (k : J -> I) (f : J -> R) :
  cancel h k -> cancel k h -> sum f = sum (fun i => f (h i)).
Proof. by move=> hk kh; apply: reindex; exists k => i _. Qed.

Lemma sum_recl n (f : 'I_n.+1 -> R) : sum f = f ord0 + sum (fun i : 'I_n => f (lift ord0 i)).
Proof. exact: big_ord_recl. Qed.

Lemma sum_pos_term (I : finType) (f : I -> R) : 0 < sum f -> exists i, 0 < f i.
Proof.
move=> s0; case: (pickP (fun i => less 0 (f i))) => [i /lessP fi|none]; first by exists i.
suff : sum f <= 0 by lra.
by rewrite -(sum_zero I); apply: sum_le => i; move: (none i); case: lessP => // no _; lra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. by case=> [lt|->]; [apply: Rlt_le; exact: exp_increasing | lra]. Qed.

Lemma exp_ge0 x : 0 <= exp x.
Proof. by apply: Rlt_le; exact: exp_pos. Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. by move=> x0 [lt|->]; [apply: Rlt_le; exact: ln_increasing | lra]. Qed.

Lemma ln_div x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. by move=> x0 y0; rewrite ln_mult ?ln_Rinv //; exact: Rinv_0_lt_compat. Qed.

Lemma div_le a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof.
move=> b0 le; apply: (Rmult_le_reg_r b) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

Lemma le_div a b c : 0 < b -> a * b <= c -> a <= c / b.
Proof.
move=> b0 le; apply: (Rmult_le_reg_r b) => //.
by rewrite /Rdiv Rmult_assoc Rinv_l; lra.
Qed.

(** Cauchy-Schwarz. *)
Lemma cauchy_schwarz (I : finType) (f g : I -> R) :
  sum (fun i => f i * g i) ^ 2 <= sum (fun i => f i ^ 2) * sum (fun i => g i ^ 2).
Proof.
set a := sum (fun i => f i ^ 2); set b := sum (fun i => g i ^ 2); set c := sum (fun i => f i * g i).
have : 0 <= sum (fun i => sum (fun j => (f i * g j - f j * g i) ^ 2)).
  by apply: sum_ge0 => i; apply: sum_ge0 => j; apply: pow2_ge_0.
have -> : sum (fun i => sum (fun j => (f i * g j - f j * g i) ^ 2)) = a * b + b * a - 2 * (c * c).
  rewrite /a /b /c !sum_mult -sum_scale -sum_add -sum_sub; apply: sum_ext => i.
  by rewrite -sum_scale -sum_add -sum_sub; apply: sum_ext => j; ring.
by rewrite (_ : c ^ 2 = c * c); [lra | ring].
Qed.
