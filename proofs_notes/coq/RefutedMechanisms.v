(** Statements on the exponential mechanism and on sums of independent terms that are false as printed.

    Beside "Utility of the exponential mechanism" of proofs_notes/privacy.md and "Sums of bounded terms" of
    proofs_notes/concentration.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Privacy Laplace ExponentialMechanism.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Lemma three_terms (f : 'I_3 -> R) : sum f = f (inord 0) + f (inord 1) + f (inord 2).
Proof.
rewrite /sum !big_ord_recl big_ord0 Rplus_0_r Rplus_assoc.
by congr (f _ + (f _ + f _)); apply: val_inj; rewrite /= inordK.
Qed.

(** The whole exponent [epsilon t / (2 sensitivity)], where half of it is true; [opt] is the largest score. *)
Definition printed_utility := forall (T : finType) (base score : T -> R) (opt epsilon sensitivity t : R),
  (forall x, 0 <= base x) -> sum base = 1 -> 0 < epsilon -> 0 < sensitivity -> 0 < t ->
  (forall x, score x <= opt) -> (exists x, 0 < base x /\ score x = opt) ->
  0 < measure base (near score opt (t / 2)) ->
  ExponentialMechanism.probability base (epsilon / (2 * sensitivity)) score (misses score opt t)
    <= exp (- (epsilon * t / (2 * sensitivity))) / measure base (near score opt (t / 2)).

Definition share (x : 'I_3) := match (x : nat) with 0%nat => 1 / 20 | 1%nat => 9 / 20 | _ => 1 / 2 end.
Definition value (x : 'I_3) := match (x : nat) with 0%nat => 0 | 1%nat => -3 | _ => -8 end.

Lemma small_exp x y : 0 < x -> y = - x -> exp y <= / (x + 1).
Proof.
move=> x0 ->; rewrite exp_Ropp; apply: Rinv_le_contravar; first lra.
by have := exp_ineq1 x; lra.
Qed.

Lemma small_exp3 : exp (- 3) <= / 4. Proof. by have := @small_exp 3 (- 3); lra. Qed.
Lemma small_exp5 : exp (- 5) <= / 6. Proof. by have := @small_exp 5 (- 5); lra. Qed.
Lemma small_exp8 : exp (- 8) <= / 9. Proof. by have := @small_exp 8 (- 8); lra. Qed.

(* @refutes MWKTV-T5.4 utility_refuted real *)
Theorem utility_refuted : ~ printed_utility.
Proof.
have base0 x : 0 <= share x by rewrite /share; case: (nat_of_ord x) => [|[|_]]; lra.
have total : sum share = 1 by rewrite three_terms /share !inordK //; lra.
have half : measure share (near value 0 (8 / 2)) = 1 / 2.
  rewrite /measure /sum_if three_terms /near /misses /share /value !inordK //.
  by do 3 (case: at_mostP => /= ?); lra.
move=> /(_ _ share value 0 1 (1 / 2) 8 base0 total) all.
have e : 1 / (2 * (1 / 2)) = 1 by field.
have claim : ExponentialMechanism.probability share 1 value (misses value 0 8) <= exp (- 8) / (1 / 2).
  have := all; rewrite e half (_ : 1 * 8 / (2 * (1 / 2)) = 8); last by field.
  apply; try lra; first by move=> x; rewrite /value; case: (nat_of_ord x) => [|[|_]]; lra.
  by exists (inord 0); rewrite /share /value !inordK //; split=> //; lra.
move: claim; rewrite /ExponentialMechanism.probability /sum_if three_terms /law /Z three_terms /weight /misses /share
  /value !inordK // !Rmult_1_l exp_0.
have three := small_exp3; have eight := small_exp8; have pos := exp_pos (- 8); have pos3 := exp_pos (- 3).
do 3 (case: at_mostP => /= ?; try lra).
rewrite !Rplus_0_l; set z := _ + _ + _ => claim.
have z0 : 0 < z by rewrite /z; lra.
have := Rmult_le_compat_r _ _ _ (Rlt_le _ _ z0) claim.
rewrite (_ : 1 / 2 * exp (- 8) / z * z = 1 / 2 * exp (- 8)); last by field; lra.
rewrite (_ : exp (- 8) / (1 / 2) * z = exp (- 8) * (2 * z)); last by field.
move=> /(Rmult_le_compat_l (/ exp (- 8)) _ _ (Rlt_le _ _ (Rinv_0_lt_compat _ pos))).
rewrite (_ : / exp (- 8) * (1 / 2 * exp (- 8)) = 1 / 2); last by field; lra.
rewrite (_ : / exp (- 8) * (exp (- 8) * (2 * z)) = 2 * z); last by field; lra.
by rewrite /z; lra.
Qed.

(** Independent terms: [law i] on [Y] for the term [i], and a product law on the choices of all. *)
Section Terms.
Variables (n : nat) (Y : finType) (law : 'I_n -> Y -> R) (term : 'I_n -> Y -> R).
Definition mean i := sum (fun y => law i y * term i y).
Definition variance := sum (fun i => sum (fun y => law i y * (term i y - mean i) ^ 2)).
Definition far t (choice : {ffun 'I_n -> Y}) := less t (Rabs (sum (fun i => term i (choice i) - mean i))).
Definition together (choice : {ffun 'I_n -> Y}) := product (fun i => law i (choice i)).
End Terms.

Definition printed_tail := forall n (Y : finType) (law term : 'I_n -> Y -> R) t,
  (forall i, is_law (law i)) -> (forall i y, Rabs (term i y) <= 1) -> 0 < t -> 0 < variance law term ->
  Privacy.probability (together law) (far law term t) <= 2 * exp (- (t ^ 2 / (4 * variance law term))).

Definition rare (_ : 'I_1) (y : bool) := if y then 1 / 100 else 99 / 100.
Definition event (_ : 'I_1) (y : bool) := if y then 1 else 0.

Lemma sum_bool (f : bool -> R) : sum f = f true + f false.
Proof. by rewrite /sum big_bool. Qed.

Lemma sum_one_term (f : 'I_1 -> R) : sum f = f ord0.
Proof. by rewrite /sum big_ord_recl big_ord0 Rplus_0_r. Qed.

Lemma product_one_term (f : 'I_1 -> R) : product f = f ord0.
Proof. by rewrite /product big_ord_recl big_ord0 Rmult_1_r. Qed.

(* @refutes HP-TA.1 tail_refuted real *)
Theorem tail_refuted : ~ printed_tail.
Proof.
move=> /(_ 1%nat _ rare event (9 / 10)) all.
have m : mean rare event ord0 = 1 / 100 by rewrite /mean sum_bool /rare /event; lra.
have v : variance rare event = 99 / 10000.
  by rewrite /variance sum_one_term sum_bool m /rare /event; field.
have sure : Privacy.probability (together rare) (far rare event (9 / 10)) = 1 / 100.
  rewrite /Privacy.probability /sum_if (sum_bijection _ (h := fun y : bool => [ffun _ => y]) (k := fun c => c ord0)).
  - rewrite sum_bool /far /together !product_one_term !sum_one_term !ffunE m /rare /event.
    have -> : Rabs (1 - 1 / 100) = 99 / 100 by rewrite Rabs_pos_eq; lra.
    have -> : Rabs (0 - 1 / 100) = 1 / 100 by rewrite Rabs_left; lra.
    by do 2 (case: lessP => ?); lra.
  - by move=> y; rewrite ffunE.
  - by move=> c; apply/ffunP => i; rewrite ffunE; congr (c _); apply: val_inj; case: i => [[|]].
have : 1 / 100 <= 2 * exp (- ((9 / 10) ^ 2 / (4 * (99 / 10000)))).
  rewrite -sure -v; apply: all; [|by move=> i y; rewrite /event; case: y; rewrite ?Rabs_R1 ?Rabs_R0; lra|lra|rewrite v; lra].
  by move=> i; split=> [[]|]; rewrite ?sum_bool /rare; lra.
have low : 20 <= (9 / 10) ^ 2 / (4 * (99 / 10000)) by lra.
have small : exp (- ((9 / 10) ^ 2 / (4 * (99 / 10000)))) <= exp (- 20) by apply: exp_le; lra.
move=> bound.
have five := small_exp5.
have pos := exp_pos (- 5); have e : exp (- 20) = exp (- 5) * exp (- 5) * (exp (- 5) * exp (- 5)).
  by rewrite -!exp_plus; congr exp; ring.
have square : exp (- 5) * exp (- 5) <= / 36 by nra.
have : exp (- 20) <= / 36 * / 36 by rewrite e; nra.
lra.
Qed.
