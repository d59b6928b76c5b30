(** Instances of hypotheses: no theorem of these files is empty.

    What stands in a section with hypotheses, or asks for a structure, is true of nothing if nothing meets them.  Each
    definition here is such a theorem at a small instance, with all its hypotheses proved: it can be written only as
    long as they can be met.  The instances are a fair coin, the unit vectors, and two points. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Coherence GramSchmidt Packings SpectrumSums Arithmetic ExponentialMechanism IntegralMechanism.
Require Import Scalars Orbit SinTheta PrincipalBases Privacy Betting PackingBound.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

(** One point. *)
Notation point := Datatypes.unit.
Lemma sum_unit (f : point -> R) : sum f = f tt. Proof. by rewrite (sum_one (i := tt)) // => -[]. Qed.
Lemma sum_bool (f : bool -> R) : sum f = f true + f false.
Proof. by rewrite /sum big_bool. Qed.

(** A fair coin. *)
Definition heads (b : bool) := b.
Definition coin (_ : bool) := 1 / 2.
Lemma coin_law : is_law coin. Proof. by split=> [b|]; rewrite ?sum_bool /coin; lra. Qed.
Lemma coin_ge0 b : 0 <= coin b. Proof. by rewrite /coin; lra. Qed.

(** Heads against tails: both are as probable. *)
Lemma coin_claim (past : seq bool) : probability coin heads <= exp 0 * probability coin negb + 0.
Proof. by rewrite /probability /sum_if !sum_bool /coin exp_0 /=; lra. Qed.

Lemma half01 : 0 <= 1 / 2 <= 1. Proof. lra. Qed.
Definition betting_of_a_coin :=
  @betting_wealth [finType of bool] (fun _ => coin) heads negb 0 0 (1 / 2) (fun _ => coin_law) coin_claim (Rle_refl 0) half01.

(** Wealth is not constant: heads raise it by a half. *)
Lemma wealth_moves : wealth (fun _ : seq bool => payoff heads negb 0 0 (1 / 2)) [:: true] = 3 / 2.
Proof. by rewrite /= /payoff /gain /bit /heads exp_0 /=; field. Qed.

Lemma one_row : 0 < INR #|[finType of point]|. Proof. by rewrite card_unit /=; lra. Qed.
Lemma unit_claim past (_ : point) : probability ((fun _ : seq bool => coin) past) heads
  <= exp 0 * probability ((fun _ => coin) past) negb + 0.
Proof. exact: (coin_claim past). Qed.
Definition factor_of_a_coin past := @factor_fair [finType of bool] [finType of point] (fun _ => heads) (fun _ => negb) one_row
  (fun _ => coin) (fun _ => coin_law) past 0 0 (1 / 2) (unit_claim past) (Rle_refl 0) (proj1 half01).

(** A mechanism that flips the coin whatever the data are, and two data sets a step apart. *)
Lemma coin_private (s t : bool) : True -> private 0 0 coin coin /\ private 0 0 coin coin.
Proof. by move=> _; split=> event; rewrite exp_0; lra. Qed.
Definition spot (s : 'I_2) (y : bool) := y == (s == ord0).
Lemma spots_disjoint s t y : spot s y -> spot t y -> s = t.
Proof.
rewrite /spot => /eqP -> /eqP e; apply/val_inj; move: s t e => [[|[|m]] p] [[|[|n]] q] //=.
Qed.
Lemma one_step (s : 'I_2) : exists n, (n <= 1)%nat /\ walk (fun _ _ : bool => True) (ord0 == ord0 :> 'I_2) (s == ord0) n.
Proof. by exists 1%nat; split=> //; apply: step (stay _ _); left. Qed.
Definition balls_of_a_coin := @sum_over_balls bool (fun _ _ => True) [finType of bool] (fun _ => coin) 0
  (fun _ => coin_law) (Rle_refl 0) coin_private 1 (fun s => s == ord0) spot 1 spots_disjoint one_step.

(** Two points at distance 1, which exchanging them moves to each other. *)
Definition apart (a b : bool) := if a == b then 0 else 1.
Lemma apart_symmetric a b : apart a b = apart b a. Proof. by rewrite /apart eq_sym. Qed.
Lemma apart_triangle a b c : apart a c <= apart a b + apart b c.
Proof. by rewrite /apart; case: a; case: b; case: c => /=; lra. Qed.
Definition whole (_ : bool) := True.
Lemma apart_transitive : transitive apart whole.
Proof.
move=> x y _ _; exists (addb (x (+) y)), (addb (x (+) y)); split=> [a _|].
  by do 2 split=> //; rewrite addbA addbb.
do 2 (split=> [a b|]; first by rewrite /apart; case: x; case: y; case: a; case: b).
by case: x; case: y.
Qed.
Lemma two_points : packing_number apart whole (1 / 2) 2.
Proof.
split=> [|m p [_ far]].
  exists (fun i : 'I_2 => i == ord0); split=> // i j ij; rewrite /apart.
  by case: eqP => [e|_]; [case: ij; apply/val_inj; move: i j e => [[|[|m]] p] [[|[|n]] q] | lra].
rewrite -(card_ord m) -card_bool; apply: (leq_card p) => i j e; apply/eqP/negPn/negP => /eqP /far.
by rewrite /apart e eqxx; lra.
Qed.
Lemma one_ball : covering_number apart whole 1 1.
Proof.
split=> [|[|m] c [_ near] //]; last by have [[]] := near true I.
exists (fun _ => true); split=> // x _; exists ord0; rewrite /apart; case: eqP => _; lra.
Qed.
Lemma ball_of_both : packing_number apart (ball apart whole true 1) (1 / 2) 2.
Proof.
have inside x : ball apart whole true 1 x by split=> //; rewrite /apart; case: eqP => _; lra.
have [[p [_ far]] largest] := two_points; split; first by exists p; split.
by move=> m q [_ q_far]; apply: (largest m q); split.
Qed.
Definition packing_of_two_points :=
  @packing_of_a_ball bool apart whole true 1 (1 / 2) 2 1 2 apart_transitive I two_points one_ball ball_of_both.

(** Unit vectors, and one row. *)
Lemma sparse_row (i : point) : Coherence.norm2 ((fun _ _ : point => 1) i) <= 1 ^ 2.
Proof. by rewrite /Coherence.norm2 sum_unit; lra. Qed.
Lemma sparse_coherent : 1 ^ 2 = 1 / INR #|[finType of point]| * square (fun _ _ : point => 1).
Proof. by rewrite card_unit /square /Coherence.norm2 !sum_unit /=; field. Qed.
Definition sparse_vectors_of_a_row :=
  @sparse_vectors _ _ _ 1 1 Rle_0_1 sparse_row Rle_0_1 sparse_coherent one_row.
Lemma unit_orthonormal : Coherence.orthonormal (fun _ _ : point => 1).
Proof. by move=> [] []; rewrite sum_unit eqxx; ring. Qed.
Definition coherence_of_a_row :=
  @range_of_coherence _ _ _ tt unit_orthonormal (fun _ => Rle_refl _) one_row.
Definition axes p (a j : 'I_p) : R := if a == j then 1 else 0.
Lemma axes_factorized p : factorization (@axes p) (@axes p) (@axes p).
Proof.
have one k (f : 'I_p -> R) : sum (fun a => axes a k * f a) = f k.
  rewrite (sum_one (i := k)) /axes ?eqxx => [|a /eqP /negPf ->]; ring.
split=> [j k|]; first by rewrite one.
split=> [i j ji|]; first by rewrite /axes; case: eqP ji => // ->; rewrite ltnn.
split=> [j|a j]; first by rewrite /axes eqxx; lra.
rewrite (sum_one (i := j)) => [|k /eqP /negPf kj]; first by rewrite {3}/axes eqxx; ring.
by rewrite {2}/axes kj; ring.
Qed.

(** A budget for one value. *)
Definition best_share := @best_shares [finType of point] (fun _ => 1) 1 1 tt (fun _ => Rle_0_1)
  (fun _ => Rle_refl 1) Rle_0_1 Rlt_0_1.

(** Integers of absolute value 1, and the exponential mechanism with a coin as base law. *)
Lemma small_entries (r : point) : sum (fun i : point => IZR ((fun _ _ => 1%Z) r i) ^ 2) <= 2 ^ 40.
Proof. by rewrite sum_unit /=; lra. Qed.
Definition partial_sums_of_one := @partial_sums [finType of point] [finType of point] (fun _ _ => 1%Z) small_entries.
Definition utility_of_a_coin score opt := @exponential_mechanism_utility [finType of bool] coin 1 coin_ge0
  (proj2 coin_law) score opt Rle_0_1.

Section Matrices.
Variable K : scalars.
Definition values (i : 'I_2) := if i == ord0 then 1 else 0.
Lemma values_range i : values ord_max <= values i <= values ord0.
Proof. by rewrite /values /=; case: (i == ord0); lra. Qed.
Lemma values_descend : descending values.
Proof. by move=> [[|[|m]] p] [[|[|n]] q] //= _; rewrite /values /=; lra. Qed.
Let eye := @identity K 2.
Let eye1 : unitary eye := @identity_unitary K 2.

(** Bases that are one another. *)
Lemma same_position : principal eye eye (fun _ => 1).
Proof.
do 2 (split; first by case: eye1).
split=> [j|j l]; first lra.
by have [e _] := eye1; rewrite e /delta real_one eq_sym.
Qed.
Definition distance_of_a_basis := distance_by_cosines same_position.
Definition rotation_of_a_basis := symmetric_sin_theta eye1 eye1 values_descend values_descend
  (last := ord0) (next := ord_max) (erefl 1%nat) (erefl 1%nat).

(** The mechanism on two points with a coin as base law. *)
Lemma coin_normalised kappa (score : bool -> R) :
  normalised (fun _ => True) (fun f => sum (fun b => coin b * f b)) kappa score.
Proof.
split=> //; rewrite /Z sum_bool /coin /IntegralMechanism.weight.
by have := exp_pos (kappa * score true); have := exp_pos (kappa * score false); lra.
Qed.
Definition sampler_of_a_coin M (x y : 'I_2 -> K) p p' event (x1 : norm2 x <= 1) (y1 : norm2 y <= 1) :=
  @private_sampler bool _ _ _ (sum_like coin_ge0) K 2 (fun _ => eye) values ord0 ord_max (fun _ => eye1) values_range
    1 M x y p p' event (Rle_refl 0) Rlt_0_1 Rle_0_1 x1 y1 (coin_normalised _ _) (coin_normalised _ _).

(** Draws that are already right are kept. *)
Lemma nothing_between v : norm2 v = 1 -> Rabs (inner (difference (spectral eye values) (spectral eye values)) (outer v)) <= 0.
Proof. by move=> _; rewrite inner_difference Rminus_eq_0 Rabs_R0; lra. Qed.
Definition correction_of_nothing := @corrected_law K 2 [finType of bool] coin (fun _ => eye) values ord_max ord0
  (spectral eye values) eye values (fun _ => 0) 0 0 coin_law (fun _ => eye1) (fun i => norm2_column i eye1)
  values_range nothing_between.
End Matrices.
