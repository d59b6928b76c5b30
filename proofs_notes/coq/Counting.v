(** The counting lemma of packings (MWKTV-COUNT), for mechanisms with finitely many outputs.

    [law s y] is the probability of the output [y] on data set [s], one of 0, 1, ..., n; [near s y] says that [y] is
    close to what is right for [s].  No output is close for two data sets.  [ratio] stands for exp (epsilon * distance):
    what privacy allows between each of the data sets and data set 0. *)
From Coq Require Import Reals List Lia Lra.
Import ListNotations.
Open Scope R_scope.

Definition sum {A : Type} (f : A -> R) (l : list A) : R := fold_right (fun x rest => f x + rest) 0 l.

Definition probability {Y : Type} (law : Y -> R) (event : Y -> bool) (outputs : list Y) : R :=
  sum (fun y => if event y then law y else 0) outputs.

Lemma sum_le {A} (f g : A -> R) (l : list A) : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [|x l IH]; intros le; simpl; [lra|].
  apply Rplus_le_compat; [apply le; now left | apply IH; intros y y_in; apply le; now right].
Qed.

Lemma sum_add {A} (f g : A -> R) (l : list A) : sum (fun x => f x + g x) l = sum f l + sum g l.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_scale {A} (c : R) (f : A -> R) (l : list A) : sum (fun x => c * f x) l = c * sum f l.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_swap {A B} (f : A -> B -> R) (l : list A) (k : list B) :
  sum (fun a => sum (f a) k) l = sum (fun b => sum (fun a => f a b) l) k.
Proof.
  induction l as [|a l IH]; simpl.
  - induction k as [|b k IH]; simpl; lra.
  - now rewrite IH, <- sum_add.
Qed.

Lemma sum_constant {A} (c : R) (l : list A) : sum (fun _ => c) l = INR (length l) * c.
Proof.
  induction l as [|x l IH]; [simpl; lra|].
  replace (sum _ (x :: l)) with (c + sum (fun _ => c) l) by reflexivity.
  rewrite IH. cbn [length]. rewrite S_INR. lra.
Qed.

Lemma sum_zero {A} (f : A -> R) (l : list A) : (forall x, In x l -> f x = 0) -> sum f l = 0.
Proof.
  induction l as [|x l IH]; intros zero; simpl; [reflexivity|].
  rewrite zero, IH; [lra | intros y y_in; apply zero; now right | now left].
Qed.

(** An output is close for one data set at most. *)
Lemma at_most_one (mass : R) (close : nat -> bool) (l : list nat) :
  0 <= mass -> NoDup l -> (forall s t, In s l -> In t l -> close s = true -> close t = true -> s = t) ->
  sum (fun s => if close s then mass else 0) l <= mass.
Proof.
  intros nonnegative distinct one.
  induction distinct as [|s l not_in distinct IH]; simpl; [lra|].
  destruct (close s) eqn:close_s.
  - rewrite sum_zero; [lra|].
    intros t t_in. destruct (close t) eqn:close_t; [|reflexivity].
    assert (s = t) as -> by (apply one; simpl; auto). contradiction.
  - rewrite Rplus_0_l. apply IH. intros a b a_in b_in. apply one; now right.
Qed.

(* @proves MWKTV-COUNT counting finite outcomes *)
Theorem counting {Y : Type} (outputs : list Y) (n : nat) (law : nat -> Y -> R) (near : nat -> Y -> bool) (ratio p : R) :
  (forall y, 0 <= law 0%nat y) ->
  sum (law 0%nat) outputs = 1 ->
  (forall s t y, (s <= n)%nat -> (t <= n)%nat -> near s y = true -> near t y = true -> s = t) ->
  0 < ratio ->
  (forall s y, (1 <= s <= n)%nat -> law s y <= ratio * law 0%nat y) ->
  (forall s, (s <= n)%nat -> p <= probability (law s) (near s) outputs) ->
  p <= / (1 + INR n / ratio).
Proof.
  intros nonnegative total disjoint positive private utility.
  assert (0 <= INR n / ratio) by (apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat, positive]).
  enough (p * (1 + INR n / ratio) <= 1).
  { apply Rmult_le_reg_r with (1 + INR n / ratio); [lra|]. rewrite Rinv_l; lra. }
  assert (others : forall s, In s (seq 1 n) -> p / ratio <= probability (law 0%nat) (near s) outputs).
  { intros s s_in. apply in_seq in s_in.
    apply Rmult_le_reg_l with ratio; [assumption|].
    replace (ratio * (p / ratio)) with p by (field; lra).
    apply Rle_trans with (probability (law s) (near s) outputs); [apply utility; lia|].
    unfold probability. rewrite <- sum_scale. apply sum_le. intros y _.
    destruct (near s y); [apply private; lia | lra]. }
  apply Rle_trans with (sum (fun s => probability (law 0%nat) (near s) outputs) (seq 0 (S n))).
  - cbn [seq sum fold_right].
    replace (p * (1 + INR n / ratio)) with (p + INR n * (p / ratio)) by (field; lra).
    apply Rplus_le_compat; [apply utility; lia|].
    rewrite <- (seq_length n 1) at 1. rewrite <- sum_constant. now apply sum_le.
  - unfold probability. rewrite sum_swap, <- total. apply sum_le. intros y _.
    apply (at_most_one (law 0%nat y) (fun s => near s y)); [apply nonnegative | apply seq_NoDup |].
    intros s t s_in t_in. apply in_seq in s_in, t_in. apply disjoint; lia.
Qed.
