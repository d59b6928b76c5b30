(** Instances of hypotheses: no theorem of these files is empty.

    What stands in a section with hypotheses, or asks for a structure, is true of nothing if nothing meets them.  Each
    definition here is such a theorem at a small instance, with all its hypotheses proved: it can be written only as
    long as they can be met.  The instances are a fair coin, the unit vectors, and two points. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
From Flocq Require Import Core.
Require Import Sums Coherence GramSchmidt Packings SpectrumSums Arithmetic ExponentialMechanism IntegralMechanism.
Require Import Scalars Orbit SinTheta PrincipalBases Privacy Betting PackingBound OrbitGroup Weyl Rows.
Require Outputs Floats.
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

(** Outputs of a coin, and two runs whose order a coin decides. *)
Definition output_of_a_coin := @Outputs.output_loss [finType of bool] [finType of bool] (fun b => b) coin coin coin_law coin_law.
Lemma three_coins (first x : bool) : sum (fun _ : bool => 1 / 8) = 1 / 2 * coin x.
Proof. by rewrite sum_bool /coin; lra. Qed.
Definition order_by_a_coin := @Outputs.coin_order [finType of bool] (fun _ => coin) (fun _ => coin) (fun _ => 1 / 8)
  three_coins three_coins (fun _ => Logic.conj coin_law coin_law).

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
(** Points that are all near have a packing of one, and are covered by one. *)
Lemma one_is_all (X : Type) (distance : X -> X -> R) (S : X -> Prop) x z : S x ->
  (forall a b, S a -> S b -> distance a b <= z) -> packing_number distance S z 1 /\ covering_number distance S z 1.
Proof.
move=> Sx near; split; split=> [|m p].
- by exists (fun _ => x); split=> [//|i j]; rewrite (ord1 i) (ord1 j).
- move=> [inside far]; case: m p inside far => [|[|m]] // p inside far.
  have le := near _ _ (inside ord0) (inside ord_max); have : z < distance (p ord0) (p ord_max) by apply: far.
  lra.
- by exists (fun _ => x); split=> // y Sy; exists ord0; exact: near.
- by case: m p => // p [_ /(_ x Sx) [[]]].
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
Lemma few_points : (#|[finType of point]| <= 2 ^ 13)%nat. Proof. by rewrite card_unit. Qed.
Definition float_sums_of_one i j := @Floats.float_sums Zfloor valid_rnd_DN [finType of point] [finType of point]
  (fun _ _ => 1%Z) small_entries few_points i j.
Definition utility_of_a_coin score opt := @exponential_mechanism_utility [finType of bool] coin 1 coin_ge0
  (proj2 coin_law) score opt Rle_0_1.

Section Matrices.
Variable K : scalars.
Add Ring scalar_ring_of_witnesses : (ring_laws K).
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

(** The orbit of the two values, which has more than one point, and its packings of distance 2. *)
Lemma in_orbit : orbit values (spectral eye values). Proof. by exists eye. Qed.
Lemma orbit_is_near A B : orbit values A -> orbit values B -> OrbitGroup.apart (@norm K 2) A B <= 2.
Proof.
move=> [U [U1 ->]] [V [V1 ->]]; have [far _] := orbit_diameter K values_descend.
rewrite -(sqrt_pow2 2); last lra.
apply: sqrt_le_1_alt; apply: Rle_trans (far U V U1 V1) _.
by rewrite !sum_recl /sum big_ord0 /values /=; lra.
Qed.
Definition one_of_the_orbit := one_is_all in_orbit orbit_is_near.
Lemma ball_is_near A B : ball (OrbitGroup.apart (@norm K 2)) (orbit values) (spectral eye values) 2 A ->
  ball (OrbitGroup.apart (@norm K 2)) (orbit values) (spectral eye values) 2 B -> OrbitGroup.apart (@norm K 2) A B <= 2.
Proof. by move=> [OA _] [OB _]; exact: orbit_is_near. Qed.
Definition one_of_the_ball := one_is_all (Logic.conj in_orbit (orbit_is_near in_orbit in_orbit)) ball_is_near.
Definition packing_of_this_orbit := packing_of_an_orbit_ball (@frobenius_invariant K 2) in_orbit one_of_the_orbit.1
  one_of_the_orbit.2 one_of_the_ball.1.

(** Sums, a downdate that leaves nothing, and singular values of the identity. *)
Lemma values_add : spectral eye (fun i => values i + values i) =2 matrix_sum (spectral eye values) (spectral eye values).
Proof.
by move=> i l; rewrite /matrix_sum /spectral -total_plus; apply: total_ext => j; rewrite real_plus (Rdistr_l (ring_laws K)).
Qed.
Lemma doubled_descend : descending (fun i => values i + values i).
Proof. by move=> i j ij; have := values_descend ij; lra. Qed.
Definition sum_of_values i j r := @weyl_sum K 2 _ _ _ _ _ _ i j r eye1 eye1 eye1 values_descend values_descend
  doubled_descend values_add.
Lemma nothing_descend : descending (fun _ : 'I_2 => 0). Proof. by move=> i j _; lra. Qed.
Lemma values_less_first : spectral eye (fun _ => 0) =2 downdate (spectral eye values) (column eye ord0).
Proof.
move=> i l; have first : spectral eye values i l = outer (column eye ord0) i l.
  rewrite -(total_delta (fun j => outer (column eye j) i l) ord0); apply: total_ext => j; congr times.
  by rewrite /values /delta; move: j => [[|[|m]] p] //=; [exact: real_one | exact: real_zero].
rewrite /downdate first /spectral (total_ext (g := fun j => times (zero K) (outer (column eye j) i l))) => [|j].
  by rewrite total_scale; ring.
by rewrite real_zero.
Qed.
Definition downdate_of_values := rank_one_downdate eye1 eye1 values_descend nothing_descend values_less_first.
Definition sensitivity_of_values := spectrum_sensitivity eye1 eye1 eye1 values_descend values_descend nothing_descend
  values_less_first values_less_first.
Lemma axis_nonzero (_ : point) : 0 < norm2 (column eye ord0). Proof. by rewrite (norm2_column ord0 eye1); lra. Qed.
Definition threshold_of_one_row := @lower_is_more K 2 [finType of point] (fun _ => column eye ord0) axis_nonzero.
End Matrices.

(** One person, whose row is replaced by itself. *)
Definition only_row : seq (bool * ('I_2 -> real_numbers)) := [:: (true, column (@identity real_numbers 2) ord0)].
Definition first_row (_ : bool) (rows : seq ('I_2 -> real_numbers)) (_ : 'I_1) := nth (fun _ => zero real_numbers) rows 0.
Lemma first_row_short e : norm2 (chosen first_row only_row true e) <= 1.
Proof. by rewrite [chosen _ _ _ _]/(column _ _) (norm2_column ord0 (@identity_unitary real_numbers 2)); lra. Qed.
Definition replaced_person := @person_replaced real_numbers 2 1 _ first_row only_row only_row true (erefl _) isT isT
  first_row_short first_row_short.
