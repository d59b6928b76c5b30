(** What privacy is on finitely many outcomes, post-processing, and composition.

    A law is a function [p] with [p y >= 0] and sum 1;
      [probability p event] is its probability of an event, given by its
    indicator.  [private epsilon delta p q] is one of the two orders of a pair of neighbours.  A Markov kernel [k] sends
    each outcome [y] to a law [k y].  Beside proofs_notes/privacy.md, where outcomes may be a continuum. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Definition is_law {Y : finType} (p : Y -> R) := (forall y, 0 <= p y) /\ sum p = 1.
Definition probability {Y : finType} (p : Y -> R) (event : Y -> bool) := sum_if event p.
Definition private {Y : finType} (epsilon delta : R) (p q : Y -> R) :=
  forall event, probability p event <= exp epsilon * probability q event + delta.
(** What the kernel [k] makes of an outcome of law [p]. *)
Definition processed {Y Z : finType} (p : Y -> R) (k : Y -> Z -> R) (z : Z) := sum (fun y => p y * k y z).
(** An outcome [y] of law [p], and then one of law [k y]. *)
Definition followed {Y Z : finType} (p : Y -> R) (k : Y -> Z -> R) (yz : Y * Z) := p yz.1 * k yz.1 yz.2.
(** Mass of the positive part of [p - exp epsilon q]. *)
Definition excess {Y : finType} (epsilon : R) (p q : Y -> R) := sum (fun y => Rmax 0 (p y - exp epsilon * q y)).

Section OneSpace.
Variable Y : finType.
Implicit Types (p q test : Y -> R) (event : Y -> bool).

(** A test answers yes with probability [test y] when it sees [y]. *)
Lemma test_excess epsilon p q test : (forall y, 0 <= test y <= 1) ->
  sum (fun y => p y * test y) <= exp epsilon * sum (fun y => q y * test y) + excess epsilon p q.
Proof.
move=> t01; rewrite /excess -sum_scale -sum_add; apply: sum_le => y; have [t0 t1] := t01 y.
have m0 := Rmax_l 0 (p y - exp epsilon * q y); have m1 := Rmax_r 0 (p y - exp epsilon * q y).
have : (p y - exp epsilon * q y) * test y <= Rmax 0 (p y - exp epsilon * q y) * test y by apply: Rmult_le_compat_r.
have : Rmax 0 (p y - exp epsilon * q y) * test y <= Rmax 0 (p y - exp epsilon * q y) * 1 by apply: Rmult_le_compat_l.
lra.
Qed.

Definition worst epsilon p q y := less (exp epsilon * q y) (p y).

Lemma excess_attained epsilon p q :
  probability p (worst epsilon p q) - exp epsilon * probability q (worst epsilon p q) = excess epsilon p q.
Proof.
rewrite /probability -sum_if_scale /sum_if -sum_sub; apply: sum_ext => y; rewrite /worst.
by case: lessP => cmp; [rewrite Rmax_right | rewrite Rmax_left]; lra.
Qed.

Lemma event_as_test p event : probability p event = sum (fun y => p y * (if event y then 1 else 0)).
Proof. by apply: sum_ext => y; case: (event y); ring. Qed.

Lemma event_excess epsilon p q event : probability p event - exp epsilon * probability q event <= excess epsilon p q.
Proof.
have := @test_excess epsilon p q (fun y => if event y then 1 else 0); rewrite -!event_as_test => bound.
suff : probability p event <= exp epsilon * probability q event + excess epsilon p q by lra.
by apply: bound => y; case: (event y); lra.
Qed.

Lemma private_excess epsilon delta p q : private epsilon delta p q <-> excess epsilon p q <= delta.
Proof.
split=> [private|le event]; last by have := event_excess epsilon p q event; lra.
by have := private (worst epsilon p q); have := excess_attained epsilon p q; lra.
Qed.

Lemma pure_outcomes epsilon p q : private epsilon 0 p q <-> (forall y, p y <= exp epsilon * q y).
Proof.
rewrite private_excess; split=> [none y|le]; last first.
  by rewrite /excess -[X in _ <= X](sum_zero Y); apply: sum_le => y; rewrite Rmax_left; [lra | have := le y; lra].
have zero : excess epsilon p q = 0 by apply: Rle_antisym => //; apply: sum_ge0 => x; apply: Rmax_l.
have := sum_eq0 y (fun x => Rmax_l 0 (p x - exp epsilon * q x)) zero.
by have := Rmax_r 0 (p y - exp epsilon * q y); lra.
Qed.

(* @proves MWKTV-D1.1 profile_of_a_pair finite outcomes, only: the profile and when it vanishes *)
(* @proves JXZ-D3 profile_of_a_pair finite outcomes, only: the profile and when it vanishes *)
(* @proves JXZ-D4 profile_of_a_pair finite outcomes, only: the profile and when it vanishes *)
(* @proves HR-D2.2 profile_of_a_pair finite outcomes, only: the profile and when it vanishes *)
Theorem profile_of_a_pair epsilon p q :
  (forall event, probability p event - exp epsilon * probability q event <= excess epsilon p q) /\
  (exists event, probability p event - exp epsilon * probability q event = excess epsilon p q) /\
  (forall delta, private epsilon delta p q <-> excess epsilon p q <= delta) /\
  ((forall y, 0 < p y) -> (forall y, 0 < q y) ->
    (excess epsilon p q = 0 /\ excess epsilon q p = 0 <-> forall y, Rabs (ln (p y / q y)) <= epsilon)).
Proof.
split; first exact: event_excess.
split; first by exists (worst epsilon p q); exact: excess_attained.
split=> [delta|p0 q0]; first exact: private_excess.
have none (r s : Y -> R) : excess epsilon r s = 0 <-> forall y, r y <= exp epsilon * s y.
  have [one other] := pure_outcomes epsilon r s; split=> [zero|/other /private_excess le].
    by apply: one; apply/private_excess; lra.
  by apply: Rle_antisym => //; apply: sum_ge0 => x; apply: Rmax_l.
rewrite !none; split=> [[le ge] y|small].
  rewrite ln_div //; apply: Rabs_le; split.
    have := ln_le (q0 y) (ge y); rewrite ln_mult ?ln_exp //; [lra | exact: exp_pos].
  have := ln_le (p0 y) (le y); rewrite ln_mult ?ln_exp //; [lra | exact: exp_pos].
have bound y : - epsilon <= ln (p y) - ln (q y) <= epsilon.
  have := small y; rewrite ln_div // => a.
  by have := Rle_abs (ln (p y) - ln (q y)); have := Rle_abs (- (ln (p y) - ln (q y))); rewrite Rabs_Ropp; lra.
split=> y.
  by rewrite -(exp_ln (p y)) // -(exp_ln (q y)) // -exp_plus; apply: exp_le; have := bound y; lra.
by rewrite -(exp_ln (q y)) // -(exp_ln (p y)) // -exp_plus; apply: exp_le; have := bound y; lra.
Qed.
End OneSpace.

Section Kernels.
Variables Y Z : finType.
Implicit Types (p q : Y -> R) (k l : Y -> Z -> R).

Lemma law_event (r : Z -> R) event : is_law r -> 0 <= probability r event <= 1.
Proof. by move=> [r0 r1]; split; [exact: sum_if_ge0 | rewrite -r1; exact: sum_if_le_sum]. Qed.

Lemma processed_event p k event :
  probability (processed p k) event = sum (fun y => p y * probability (k y) event).
Proof.
transitivity (sum (fun z => sum (fun y => if event z then p y * k y z else 0))).
  by apply: sum_ext => z; case: (event z) => //; rewrite sum_zero.
by rewrite sum_swap; apply: sum_ext => y; rewrite -sum_if_scale.
Qed.

(* @proves HR-F2.3 post_processing finite outcomes *)
Theorem post_processing p q k :
  (forall y, is_law (k y)) ->
  (forall epsilon bound,
    (forall event, probability p event - exp epsilon * probability q event <= bound) ->
    forall event, probability (processed p k) event - exp epsilon * probability (processed q k) event <= bound) /\
  (forall epsilon, (forall y, p y <= exp epsilon * q y) -> forall z, processed p k z <= exp epsilon * processed q k z).
Proof.
move=> kernel; split=> [epsilon bound le event|epsilon le z].
  have := @test_excess _ epsilon p q (fun y => probability (k y) event); rewrite -!processed_event -excess_attained.
  by move=> test; have := le (worst epsilon p q); have := test (fun y => law_event event (kernel y)); lra.
rewrite /processed -sum_scale; apply: sum_le => y; rewrite -Rmult_assoc.
by apply: Rmult_le_compat_r; [case: (kernel y) | exact: le].
Qed.
End Kernels.

Section Composition.
Variables Y Z : finType.
Implicit Types (p q : Y -> R) (k l : Y -> Z -> R).

Lemma followed_event p k event :
  probability (followed p k) event = sum (fun y => p y * probability (k y) (fun z => event (y, z))).
Proof.
rewrite /probability /sum_if sum_prod; apply: sum_ext => y; rewrite -sum_scale; apply: sum_ext => z.
by rewrite /followed; case: (event (y, z)) => /=; ring.
Qed.

Lemma followed_law p k : is_law p -> (forall y, is_law (k y)) -> is_law (followed p k).
Proof.
move=> [p0 p1] kernel; split=> [[y z]|]; first by apply: Rmult_le_pos => //; case: (kernel y).
rewrite sum_prod -p1; apply: sum_ext => y; rewrite /followed /= sum_scale.
by case: (kernel y) => _ ->; ring.
Qed.

(** The second step may be chosen by the outcome of the first. *)
Lemma composition epsilon epsilon' delta delta' p q k l :
  is_law p -> is_law q -> (forall y, is_law (k y)) -> (forall y, is_law (l y)) ->
  private epsilon delta p q -> (forall y, private epsilon' delta' (k y) (l y)) ->
  0 <= delta' -> private (epsilon + epsilon') (delta + delta') (followed p k) (followed q l).
Proof.
move=> [p0 p1] [q0 q1] klaw llaw /private_excess first_step second_step d0 event.
rewrite !followed_event exp_plus.
pose chance y := Rmin 1 (exp epsilon' * probability (l y) (fun z => event (y, z))).
have chance01 y : 0 <= chance y <= 1.
  split; last exact: Rmin_l.
  by apply: Rmin_glb; [lra | apply: Rmult_le_pos;
    [exact: exp_ge0 | case: (law_event (fun z => event (y, z)) (llaw y))]].
have second y : probability (k y) (fun z => event (y, z)) <= chance y + delta'.
  rewrite /chance; case: (Rle_dec 1 (exp epsilon' * probability (l y) (fun z => event (y, z)))) => big.
    by rewrite Rmin_left //; have := law_event (fun z => event (y, z)) (klaw y); lra.
  by rewrite Rmin_right; [exact: second_step | lra].
have step : sum (fun y => p y * probability (k y) (fun z => event (y, z))) <= sum (fun y => p y * chance y) + delta'.
  rewrite -[delta' in X in _ <= X]Rmult_1_r -p1 -sum_scale -sum_add; apply: sum_le => y.
  by rewrite [delta' * _]Rmult_comm -Rmult_plus_distr_l; apply: Rmult_le_compat_l.
apply: Rle_trans step _; have := test_excess epsilon p q chance01.
suff : sum (fun y => q y * chance y) <= exp epsilon' * sum (fun y => q y * probability (l y) (fun z => event (y, z))).
  move=> le; have := Rmult_le_compat_l _ _ _ (exp_ge0 epsilon) le; lra.
rewrite -sum_scale; apply: sum_le => y.
rewrite -Rmult_assoc [exp epsilon' * _]Rmult_comm Rmult_assoc.
by apply: Rmult_le_compat_l => //; exact: Rmin_r.
Qed.

(* @proves HR-L6.1 two_stages finite outcomes, only: basic composition and a function of both outputs; that each stage is calibrated is assumed *)
Theorem two_stages (W : finType) epsilon delta p q k l (m : Y * Z -> W -> R) :
  is_law p -> is_law q -> (forall y, is_law (k y)) -> (forall y, is_law (l y)) -> (forall yz, is_law (m yz)) ->
  0 <= delta ->
  private (epsilon / 2) (delta / 2) p q -> (forall y, private (epsilon / 2) (delta / 2) (k y) (l y)) ->
  private epsilon delta (followed p k) (followed q l) /\
  private epsilon delta (processed (followed p k) m) (processed (followed q l) m).
Proof.
move=> plaw qlaw klaw llaw mlaw d0 first_step second_step.
have both : private epsilon delta (followed p k) (followed q l).
  rewrite (_ : epsilon = epsilon / 2 + epsilon / 2); last lra.
  rewrite (_ : delta = delta / 2 + delta / 2); last lra.
  by apply: composition => //; lra.
split=> // event; have [] := post_processing (followed p k) (followed q l) mlaw => [profile _].
have le e : probability (followed p k) e - exp epsilon * probability (followed q l) e <= delta by have := both e; lra.
by have := profile epsilon delta le event; lra.
Qed.
End Composition.

(** Many steps, each of which may be chosen by all earlier outcomes: [step past] is the law of the next one. *)
Section ManySteps.
Variable Y : finType.

Fixpoint outcomes n : finType := if n is n'.+1 then [finType of Y * outcomes n'] else [finType of unit].

(** Law of [n] outcomes after those of [past]. *)
Fixpoint transcript (step : seq Y -> Y -> R) n past : outcomes n -> R :=
  match n with
  | O => fun _ => 1
  | S n' => followed (step past) (fun y => @transcript step n' (rcons past y))
  end.
Arguments transcript : clear implicits.

Lemma transcript_law step n past : (forall past, is_law (step past)) -> is_law (transcript step n past).
Proof.
move=> laws; elim: n past => [|n IH] past; last exact: followed_law.
by split=> [y|]; [rewrite /=; lra | rewrite sum_const card_unit /=; ring].
Qed.

(* @proves HR-T2.4 adaptive_composition finite outcomes, only: the first of the two bounds *)
Theorem adaptive_composition epsilon delta (step other : seq Y -> Y -> R) n :
  (forall past, is_law (step past)) -> (forall past, is_law (other past)) -> 0 <= delta ->
  (forall past, private epsilon delta (step past) (other past)) ->
  private (INR n * epsilon) (INR n * delta) (transcript step n [::]) (transcript other n [::]).
Proof.
move=> laws other_laws d0 each; elim: n [::] => [|n IH] past; last first.
  rewrite S_INR !(Rmult_plus_distr_r _ 1) !Rmult_1_l ![INR n * _ + _]Rplus_comm.
  apply: composition => [|||||y|] //; try by [move=> y; exact: transcript_law].
  by apply: Rmult_le_pos => //; exact: pos_INR.
by move=> event; rewrite /= !Rmult_0_l exp_0; lra.
Qed.
End ManySteps.
