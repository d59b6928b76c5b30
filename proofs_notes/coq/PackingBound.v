(** Lower bounds from a packing: privacy along a path of neighbours, and the sum over disjoint balls.

    [law s y] is the probability of the output [y] on data set [s], for a mechanism that is pure private with parameter
    [epsilon] under a neighbour relation.  [walk s t n] says that [n] steps between neighbours lead from [s] to [t].
    The data sets of the packing are [packed ord0], around which the paths start, and [n] others; [ball s] are the
    outputs near to the data set [s] of the packing.  Beside "Counting", "Privacy along a path", "The sum over disjoint
    balls" and "The condition on the packing" of proofs_notes/lower_bounds.md, where the packing has [n] points in all;
    here it has [n.+1]. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Privacy.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Path.
Variables (D : Type) (neighbours : D -> D -> Prop).

(** The relation may be used in both directions. *)
Inductive walk : D -> D -> nat -> Prop :=
| stay s : walk s s 0
| step s t u n : neighbours s t \/ neighbours t s -> walk t u n -> walk s u n.+1.

Variables (Y : finType) (law : D -> Y -> R) (epsilon : R).
Hypothesis laws : forall s, is_law (law s).
Hypothesis epsilon_ge0 : 0 <= epsilon.
Hypothesis pure : forall s t, neighbours s t -> private epsilon 0 (law s) (law t) /\ private epsilon 0 (law t) (law s).

Lemma walk_private s t n : walk s t n -> private (INR n * epsilon) 0 (law t) (law s).
Proof.
elim=> [{}s event|{}s u {}t {}n near _ IH event]; first by rewrite Rmult_0_l exp_0; lra.
have one : private epsilon 0 (law u) (law s) by case: near => /pure [].
apply: Rle_trans (IH event) _; rewrite S_INR Rmult_plus_distr_r Rmult_1_l exp_plus.
have := Rmult_le_compat_l _ _ _ (exp_ge0 (INR n * epsilon)) (one event); lra.
Qed.

Lemma walk_private_at_most s t n most : walk s t n -> (n <= most)%nat ->
  private (INR most * epsilon) 0 (law t) (law s).
Proof.
move=> /walk_private priv le event; apply: Rle_trans (priv event) _.
rewrite !Rplus_0_r; apply: Rmult_le_compat_r; first by case: (law_event event (laws s)).
by apply: exp_le; apply: Rmult_le_compat_r => //; apply: le_INR; apply/leP.
Qed.

(* @proves MWKTV-E9 privacy_along_a_path finite outcomes *)
(* @proves MWKTV-E49 privacy_along_a_path finite outcomes *)
(* @proves MWKTV-E50 privacy_along_a_path finite outcomes *)
Theorem privacy_along_a_path s t n event : walk s t n ->
  probability (law s) event >= exp (- (epsilon * INR n)) * probability (law t) event /\
  (1 / 2 <= probability (law t) event -> probability (law s) event >= 1 / 2 * exp (- (epsilon * INR n))).
Proof.
move=> /walk_private /(_ event); rewrite Rplus_0_r [INR n * _]Rmult_comm => le.
have shrink : exp (- (epsilon * INR n)) * probability (law t) event <= probability (law s) event.
  apply: (Rmult_le_reg_l (exp (epsilon * INR n))); first exact: exp_pos.
  by rewrite -Rmult_assoc -exp_plus Rplus_opp_r exp_0 Rmult_1_l.
split=> [|half]; first lra.
by have := Rmult_le_compat_l _ _ _ (exp_ge0 (- (epsilon * INR n))) half; lra.
Qed.

Section Balls.
Variables (n : nat) (packed : 'I_n.+1 -> D) (ball : 'I_n.+1 -> Y -> bool) (length : nat).
Hypothesis disjoint : forall s t y, ball s y -> ball t y -> s = t.
Hypothesis paths : forall s, exists steps, (steps <= length)%nat /\ walk (packed ord0) (packed s) steps.

Definition success s := probability (law (packed s)) (ball s).
Definition others (f : 'I_n.+1 -> R) := sum (fun i : 'I_n => f (lift ord0 i)).

Lemma balls_share : sum (fun s => probability (law (packed ord0)) (ball s)) <= 1.
Proof.
have [l0 l1] := laws (packed ord0); rewrite -l1 /probability /sum_if sum_swap; apply: sum_le => y.
case: (pickP (fun s => ball s y)) => [s sy|none]; last first.
  by rewrite (sum_ext (g := fun _ => 0)) ?sum_zero // => s; rewrite none.
rewrite (sum_one (i := s)) => [|t ts]; first by rewrite sy; lra.
by case: (boolP (ball t y)) => // ty; case: ts; apply: disjoint ty sy.
Qed.

Lemma foreign s : exp (- (epsilon * INR length)) * success s <= probability (law (packed ord0)) (ball s).
Proof.
have [steps [le w]] := paths s; have := walk_private_at_most w le (ball s); rewrite Rplus_0_r => bound.
apply: (Rmult_le_reg_l (exp (epsilon * INR length))); first exact: exp_pos.
by rewrite -Rmult_assoc -exp_plus Rplus_opp_r exp_0 Rmult_1_l [epsilon * _]Rmult_comm.
Qed.

Lemma others_const c : others (fun _ => c) = INR n * c.
Proof. by rewrite /others sum_const card_ord. Qed.

(* @proves MWKTV-E10 sum_over_balls finite outcomes *)
(* @proves MWKTV-E51 sum_over_balls finite outcomes *)
Theorem sum_over_balls :
  let decay := exp (- (epsilon * INR length)) in
  let total := sum (fun s => probability (law (packed ord0)) (ball s)) in
  total <= 1 /\
  success ord0 + decay * others success <= total /\
  ((forall s, 1 / 2 <= success s) -> 1 / 2 + INR n / 2 * decay <= success ord0 + decay * others success).
Proof.
split; first exact: balls_share.
split=> [|half].
  rewrite sum_recl /others -sum_scale; apply: Rplus_le_compat_l; apply: sum_le => i; exact: foreign.
have : others (fun _ => 1 / 2) <= others success by apply: sum_le => i.
rewrite others_const => le; have := Rmult_le_compat_l _ _ _ (exp_ge0 (- (epsilon * INR length))) le.
by have := half ord0; lra.
Qed.

Lemma common_success p : (forall s, p <= success s) -> p * (1 + INR n * exp (- (epsilon * INR length))) <= 1.
Proof.
move=> all; have [share [le _]] := sum_over_balls.
have : others (fun _ => p) <= others success by apply: sum_le => i.
rewrite others_const => sum_le; have := Rmult_le_compat_l _ _ _ (exp_ge0 (- (epsilon * INR length))) sum_le.
by have := all ord0; lra.
Qed.

(* @proves MWKTV-E7 packing_condition finite outcomes, only: the paths' length is given *)
(* @proves MWKTV-E52 packing_condition finite outcomes, only: the paths' length is given *)
Theorem packing_condition :
  (forall s, 1 / 2 < success s) -> INR n < exp (epsilon * INR length) /\ ((0 < n)%nat ->
    ln (INR n) < epsilon * INR length).
Proof.
move=> all; have decay := exp_pos (- (epsilon * INR length)).
have small : INR n * exp (- (epsilon * INR length)) < 1.
  have [share [le half]] := sum_over_balls.
  have := half (fun s => Rlt_le _ _ (all s)); have := all ord0.
  have : others (fun _ => 1 / 2) <= others success by apply: sum_le => i; apply: Rlt_le.
  rewrite others_const => le'; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ decay) le'; lra.
have lt : INR n < exp (epsilon * INR length).
  apply: (Rmult_lt_reg_r (exp (- (epsilon * INR length)))) => //.
  by rewrite -exp_plus Rplus_opp_r exp_0.
split=> // n0; rewrite -[epsilon * _]ln_exp; apply: ln_increasing => //.
by apply: lt_0_INR; apply/ltP.
Qed.
End Balls.

(* @proves MWKTV-COUNT counting finite outcomes *)
Theorem counting (X : Type) (distance : X -> X -> R) (right : D -> X) (value : Y -> X) (radius p : R)
    (n length : nat) (packed : 'I_n.+1 -> D) :
  (forall a b, distance a b = distance b a) ->
  (forall a b c, distance a c <= distance a b + distance b c) ->
  (forall s t, s <> t -> distance (right (packed s)) (right (packed t)) > 2 * radius) ->
  (forall s, exists steps, (steps <= length)%nat /\ walk (packed ord0) (packed s) steps) ->
  (forall s, p <= probability (law (packed s)) (fun y => at_most (distance (value y) (right (packed s))) radius)) ->
  p <= 1 / (1 + INR n * exp (- (epsilon * INR length))) /\
  ((0 < n)%nat -> epsilon * INR length <= ln (INR n) -> p <= 1 / 2).
Proof.
move=> symmetric triangle apart paths near.
pose ball s y := at_most (distance (value y) (right (packed s))) radius.
have disjoint s t y : ball s y -> ball t y -> s = t.
  move=> /at_mostP sy /at_mostP ty; case: (eqVneq s t) => // /eqP /apart far.
  by have := triangle (right (packed s)) (value y) (right (packed t)); rewrite (symmetric _ (value y)); lra.
have bound := common_success disjoint paths near; set decay := exp _ in bound *.
have positive : 0 < 1 + INR n * decay.
  by have := Rmult_le_pos _ _ (pos_INR n) (exp_ge0 (- (epsilon * INR length))); rewrite -/decay; lra.
have le : p <= 1 / (1 + INR n * decay) by apply: le_div.
split=> // n0 long; apply: Rle_trans le _; apply: div_le => //.
suff : 1 <= INR n * decay by lra.
have n1 : 0 < INR n by apply: lt_0_INR; apply/ltP.
rewrite -(exp_ln (INR n)) // /decay -exp_plus -exp_0; apply: exp_le; lra.
Qed.
End Path.

(** The choice of the radius, of which [omega2] is the square: [N] is the product of the numbers of places, [q] the
    smaller of these; a path of [n] steps is short enough for [4 ^ N - 1] points besides the first one. *)
Lemma points_besides N : (0 < N)%nat -> 3 ^ N <= 4 ^ N - 1.
Proof.
elim: N => // -[|N] IH _; first by rewrite /=; lra.
have := IH isT; rewrite -[3 ^ N.+2]/(3 * 3 ^ N.+1) -[4 ^ N.+2]/(4 * 4 ^ N.+1).
have : 1 <= 4 ^ N.+1 by apply: pow_R1_Rle; lra.
lra.
Qed.

(* @proves MWKTV-E55 room_for_paths real, only: the points and the steps; that the ball has a packing of 4^N points is assumed *)
(* @proves MWKTV-E56 room_for_paths real, only: the points and the steps; that the ball has a packing of 4^N points is assumed *)
Theorem room_for_paths (N n : nat) (epsilon omega2 q : R) : (0 < N)%nat -> 0 < epsilon ->
  omega2 = INR N * ln 3 / epsilon - 2 * q -> 0 < omega2 ->
  INR N * ln 3 = epsilon * (omega2 + 2 * q) /\ INR N * ln 3 <= ln (4 ^ N - 1) /\
  (INR n <= omega2 + 2 * q -> epsilon * INR n <= ln (4 ^ N - 1) /\ 1 <= (4 ^ N - 1) * exp (- (epsilon * INR n))).
Proof.
move=> N0 e0 choice _; have same : INR N * ln 3 = epsilon * (omega2 + 2 * q) by rewrite choice; field; lra.
have power : exp (INR N * ln 3) = 3 ^ N by rewrite -(Rpower_pow N 3) //; lra.
have three : 0 < 3 ^ N by apply: pow_lt; lra.
have points := points_besides N0.
have room : INR N * ln 3 <= ln (4 ^ N - 1) by rewrite -(ln_exp (INR N * ln 3)) power; exact: ln_le.
split=> //; split=> // short.
have le : epsilon * INR n <= ln (4 ^ N - 1).
  by apply: Rle_trans room; rewrite same; apply: Rmult_le_compat_l; lra.
split=> //; apply: (Rmult_le_reg_r (exp (epsilon * INR n))); first exact: exp_pos.
rewrite Rmult_assoc -exp_plus Rplus_opp_l exp_0 Rmult_1_l Rmult_1_r -(exp_ln (4 ^ N - 1)); last lra.
exact: exp_le.
Qed.
