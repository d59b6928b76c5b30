(** Claims on noise that are false as printed: Wishart noise, Laplace noise, and normal noise where epsilon is large.

    [mass b r] is the probability that Laplace noise of scale [b] is at most [r] in modulus.  A private release is private for each event; the claims are stated for half-lines, of
    which less is asked.  Beside "The one-sided mechanism is not pure DP" and "Comparison with Laplace noise as printed"
    of proofs_notes/wishart.md, "Private spectrum" of privacy_spectral.md, and "Gaussian mechanism for every epsilon" of
    privacy.md. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import Normal Certificate.
Open Scope R_scope.

Definition exponential_density (b t : R) : R := exp (- (t / b)) / b.
Definition mass (b r : R) : R := if Rle_dec r 0 then 0 else RInt (exponential_density b) 0 r.

Lemma mass_formula (b r : R) : 0 < b -> 0 < r -> mass b r = 1 - exp (- (r / b)).
Proof.
  intros b_pos r_pos. unfold mass. destruct (Rle_dec r 0) as [no | _]; [lra|].
  apply is_RInt_unique.
  replace (1 - exp (- (r / b))) with (minus (- exp (- (r / b))) (- exp (- (0 / b)))).
  2: { unfold minus, plus, opp; simpl. replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0. ring. }
  apply (is_RInt_derive (fun t => - exp (- (t / b)))).
  - intros t _. unfold exponential_density, Rdiv. auto_derive; [exact I|]. field. lra.
  - intros t _. apply (ex_derive_continuous (exponential_density b)). unfold exponential_density. auto_derive. lra.
Qed.

Lemma exp_below (x : R) : x < 0 -> exp x < 1.
Proof. intros neg. rewrite <- exp_0. now apply exp_increasing. Qed.

(** Any dimension [d]: rows are [x r] times the first axis, of which one is replaced.  The first entry of the Wishart
    matrix is [c] times a chi-square number of [d + 1] degrees, [chi_square d c] its density up to a factor, on which the
    claim does not depend.  Printed is that it is private in every dimension; it is so in none. *)
Definition chi_square (d : nat) (c t : R) : R := sqrt t ^ pred d * exp (- (t / (2 * c))).
Definition part (d : nat) (c r : R) : R := if Rle_dec r 0 then 0 else RInt (chi_square d c) 0 r.
Definition second_moment (n : nat) (x : nat -> R) : R := sum_n (fun r => x r ^ 2) (pred n) / INR n.
Definition printed_wishart : Prop := exists d : nat, (0 < d)%nat /\
  forall (n : nat) (x y : nat -> R) (replaced : nat) (epsilon z : R),
  (0 < n)%nat -> 0 < epsilon -> (forall r, Rabs (x r) <= 1) -> (forall r, Rabs (y r) <= 1) ->
  (forall r, r <> replaced -> x r = y r) ->
  let c := 3 / (2 * INR n * epsilon) in
  part d c (z - second_moment n x) <= exp epsilon * part d c (z - second_moment n y).

Lemma part_positive (d : nat) (c r : R) : 0 < r -> 0 < part d c r.
Proof.
  intros r_pos. unfold part. destruct (Rle_dec r 0) as [no | _]; [lra|].
  apply RInt_gt_0; [exact r_pos | |].
  - intros t [t_pos _]. apply Rmult_lt_0_compat; [apply pow_lt, sqrt_lt_R0, t_pos | apply exp_pos].
  - intros t _. apply (continuous_mult (fun t => sqrt t ^ pred d) (fun t => exp (- (t / (2 * c))))).
    + apply (continuous_comp sqrt (fun s => s ^ pred d)); [apply continuous_sqrt|].
      apply (ex_derive_continuous (fun s => s ^ pred d)). auto_derive. exact I.
    + apply (ex_derive_continuous (fun t => exp (- (t / (2 * c))))). unfold Rdiv. auto_derive. exact I.
Qed.

Lemma part_at_0 (d : nat) (c : R) : part d c 0 = 0.
Proof. unfold part. now destruct (Rle_dec 0 0); [|lra]. Qed.

(* @refutes JXZ-T4 wishart_refuted real, only: half-lines of the first entry, whose law is given *)
(* @refutes JXZ-Table1 wishart_refuted real, only: the privacy of the Wishart row, half-lines of the first entry, whose law is given *)
Theorem wishart_refuted : ~ printed_wishart.
Proof.
  intros [d [_ all]]. specialize (all 1%nat (fun _ => 0) (fun r => match r with O => 1 | _ => 0 end) 0%nat 1 1).
  cbv zeta in all. unfold second_moment in all. simpl pred in all. rewrite !sum_O in all. simpl INR in all.
  replace (1 - 1 ^ 2 / 1) with 0 in all by field. replace (1 - 0 ^ 2 / 1) with 1 in all by field.
  rewrite part_at_0 in all. pose proof (part_positive d (3 / (2 * 1 * 1)) 1 Rlt_0_1).
  assert (part d (3 / (2 * 1 * 1)) 1 <= exp 1 * 0); [|lra].
  apply all; [auto with arith | lra | | |].
  - intros r. rewrite Rabs_R0. lra.
  - intros [|r]; rewrite ?Rabs_R1, ?Rabs_R0; lra.
  - intros [|r]; [now intros []|reflexivity].
Qed.

(** A function that changes by at most [sensitivity] along the first axis, with the noise that is compared there. *)
Definition printed_premise : Prop := exists d : nat, (0 < d)%nat /\ forall (a a' sensitivity epsilon z : R),
  0 < sensitivity -> 0 < epsilon -> Rabs (a - a') <= sensitivity ->
  let c := sensitivity / (2 * epsilon) in part d c (z - a) <= exp epsilon * part d c (z - a').

(* @refutes JXZ-T5 premise_refuted real, only: the premise of privacy, half-lines of the first entry, whose law is given *)
Theorem premise_refuted : ~ printed_premise.
Proof.
  intros [d [_ all]]. specialize (all 0 1 1 1 1). cbv zeta in all.
  replace (1 - 1) with 0 in all by ring. replace (1 - 0) with 1 in all by ring. rewrite part_at_0 in all.
  pose proof (part_positive d (1 / (2 * 1)) 1 Rlt_0_1).
  assert (part d (1 / (2 * 1)) 1 <= exp 1 * 0); [|lra].
  apply all; [lra | lra |]. rewrite Rabs_minus_sym, Rminus_0_r, Rabs_R1. lra.
Qed.

(** All of [k] values with independent Laplace noise of scale [2 / epsilon] are within a radius of the printed order. *)
Definition printed_values : Prop := exists C : R, 0 < C /\ forall (k : nat) (epsilon beta : R),
  (0 < k)%nat -> 0 < epsilon -> 0 < beta < 1 ->
  1 - beta <= mass (2 / epsilon) (C * (2 / epsilon * ln (1 / beta))) ^ k.

(* @refutes MWKTV-T7.1 values_refuted real *)
Theorem values_refuted : ~ printed_values.
Proof.
  intros [C [C0 all]].
  assert (0 < ln 2) as log2 by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (0 < C * ln 2) as rate by (apply Rmult_lt_0_compat; lra).
  assert (exp (- (C * ln 2)) < 1) as below by (apply exp_below; lra).
  pose proof (exp_pos (- (C * ln 2))) as above.
  destruct (pow_lt_1_zero (1 - exp (- (C * ln 2)))) with (y := 1 / 2) as [n small]; [rewrite Rabs_pos_eq; lra | lra |].
  specialize (all (S n) 2 (1 / 2)). specialize (small (S n) (le_S _ _ (le_n n))).
  replace (2 / 2) with 1 in all by field. replace (1 / (1 / 2)) with 2 in all by field.
  rewrite Rmult_1_l, mass_formula in all by lra.
  replace (C * ln 2 / 1) with (C * ln 2) in all by field.
  assert (1 - 1 / 2 <= (1 - exp (- (C * ln 2))) ^ S n) by (apply all; [auto with arith | lra | lra]).
  pose proof (Rle_abs ((1 - exp (- (C * ln 2))) ^ S n)). lra.
Qed.

(** Normal noise of the printed size, for a number that changes by at most [sensitivity]. *)
Definition printed_gaussian : Prop := forall (q q' sensitivity epsilon delta z : R),
  0 < sensitivity -> Rabs (q - q') <= sensitivity -> 0 < epsilon -> 0 < delta < 1 ->
  let sigma := sensitivity * sqrt (2 * ln (5 / 4 / delta)) / epsilon in
  cdf ((z - q) / sigma) <= exp epsilon * cdf ((z - q') / sigma) + delta.

Definition s : R := sqrt (2 * ln 163840).

Lemma excess : 1 / 131072 < cdf (8 / s - s) - exp 16 * cdf (- (8 / s + s)).
Proof. unfold s. cbv [cdf bell]. enclose_integrals 60%positive (-40)%Z. interval with (i_prec 60). Qed.

(* @refutes HR-T2.6 gaussian_refuted real *)
(* @refutes HR-TA.1 gaussian_refuted real *)
Theorem gaussian_refuted : ~ printed_gaussian.
Proof.
  intros all. pose proof excess.
  assert (0 < s) by (unfold s; interval with (i_prec 40)).
  specialize (all 0 1 1 16 (1 / 131072) (s / 16 * (8 / s - s))). cbv zeta in all.
  replace (5 / 4 / (1 / 131072)) with 163840 in all by field. fold s in all.
  replace ((s / 16 * (8 / s - s) - 0) / (1 * s / 16)) with (8 / s - s) in all by (field; lra).
  replace ((s / 16 * (8 / s - s) - 1) / (1 * s / 16)) with (- (8 / s + s)) in all by (field; lra).
  assert (cdf (8 / s - s) <= exp 16 * cdf (- (8 / s + s)) + 1 / 131072); [|lra].
  apply all; try lra. rewrite Rabs_minus_sym, Rminus_0_r, Rabs_R1. lra.
Qed.
