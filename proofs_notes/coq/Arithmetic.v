(** What is finite in the chapter on arithmetic: roundings, integer rows, exact sums, and the step that corrects a law.

    [floor x] is the largest integer that is at most [x], and [nearest x =
      floor (x + 1/2)] rounds half up.  Integers are
    of type Z, and [IZR] embeds them into the real numbers.  Floats appear only where a theorem has a rounding function,
    [fl], of which it uses that it is monotone.  Beside the sections of the same labels in proofs_notes/arithmetic.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Lia ZArith Ring.
Require Import Sums Privacy Scalars Orbit.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Definition floor (x : R) : Z := Int_part x.
Definition nearest x := floor (x + 1 / 2).

Lemma floor_bounds x : IZR (floor x) <= x < IZR (floor x) + 1.
Proof. by have [le gt] := base_Int_part x; rewrite /floor; lra. Qed.

Lemma floor_unique x (n : Z) : IZR n <= x < IZR n + 1 -> floor x = n.
Proof.
move=> [low high]; have [low' high'] := floor_bounds x.
have a : (floor x < n + 1)%Z by apply: lt_IZR; rewrite plus_IZR; lra.
have b : (n < floor x + 1)%Z by apply: lt_IZR; rewrite plus_IZR; lra.
lia.
Qed.

Lemma floor_monotone x y : x <= y -> (floor x <= floor y)%Z.
Proof.
move=> le; have [low _] := floor_bounds x; have [_ high] := floor_bounds y.
suff : (floor x < floor y + 1)%Z by lia.
by apply: lt_IZR; rewrite plus_IZR; lra.
Qed.

Theorem certain_rounding (fl : R -> R) (truth estimate bound : R) (r : Z) :
  (forall x y, x <= y -> fl x <= fl y) ->
  fl (Rabs (estimate - IZR r)) = Rabs (estimate - IZR r) ->
  Rabs (estimate - truth) <= bound ->
  fl (Rabs (estimate - IZR r)) < fl (1 / 2 - bound) ->
  Rabs (truth - IZR r) < 1 / 2 /\ r = nearest truth.
Proof.
move=> monotone exact near certain.
have close : Rabs (estimate - IZR r) < 1 / 2 - bound.
  by case: (Rlt_dec (Rabs (estimate - IZR r)) (1 / 2 - bound)) => // /Rnot_lt_le /monotone; lra.
have distance : Rabs (truth - IZR r) < 1 / 2.
  have := Rabs_triang (truth - estimate) (estimate - IZR r); rewrite (Rabs_minus_sym truth).
  by rewrite (_ : truth - estimate + (estimate - IZR r) = truth - IZR r); [lra | ring].
split=> //; symmetry; apply: floor_unique.
by have [low high] := Rabs_def2 _ _ distance; lra.
Qed.

Section Entries.
Variable t : nat.
Definition unit := 2 ^ t.
Definition integer a := nearest (unit * a).

Lemma unit_IZR : unit = IZR (2 ^ Z.of_nat t).
Proof. by rewrite -pow_IZR. Qed.

Lemma integer_error a : - (1 / 2) < IZR (integer a) - unit * a <= 1 / 2.
Proof. by rewrite /integer /nearest; have := floor_bounds (unit * a + 1 / 2); lra. Qed.

Lemma integer_shift a : integer (a + 1) = (integer a + 2 ^ Z.of_nat t)%Z.
Proof.
apply: floor_unique; rewrite plus_IZR -unit_IZR; have := integer_error a; lra.
Qed.

Lemma unit_gt0 : 0 < unit.
Proof. by apply: pow_lt; lra. Qed.

Lemma integer_monotone a b : a <= b -> (integer a <= integer b)%Z.
Proof.
move=> le; apply: floor_monotone; apply: Rplus_le_compat_r; apply: Rmult_le_compat_l => //.
by apply: Rlt_le; exact: unit_gt0.
Qed.

(* @proves DPS-CONTRACTION rounded_entries real, reals for floats, only: all but that the program's number is this one *)
Theorem rounded_entries :
  (forall a a', Rabs (a - a') <= 1 -> (Z.abs (integer a - integer a') <= 2 ^ Z.of_nat t)%Z) /\
  (forall a, Rabs (IZR (integer a) - unit * a) <= 1 / 2) /\
  (forall a b, Rabs (IZR (integer b) - IZR (integer a) - unit * (b - a)) < 1).
Proof.
split=> [a a' near|].
  have up := Rle_abs (a - a'); have down := Rle_abs (- (a - a')); rewrite Rabs_Ropp in down.
  have := @integer_monotone a (a' + 1); have := @integer_monotone a' (a + 1); rewrite !integer_shift => one other.
  by have := one ltac:(lra); have := other ltac:(lra); lia.
split=> [a|a b]; first by have := integer_error a => ?; apply: Rabs_le; lra.
by have := integer_error a; have := integer_error b => ? ?; apply: Rabs_def1; lra.
Qed.
End Entries.

(** A release of finitely many outcomes, and any function of it, such as its rounding to a grid. *)
(* @proves DPS-ROUNDED rounded_release finite outcomes, only: one release, (epsilon, delta) and the profile; that any function of a release is as private, not the grid *)
Theorem rounded_release (Y Z : finType) (rounded : Y -> Z) epsilon delta (p q : Y -> R) :
  is_law p -> is_law q -> private epsilon delta p q ->
  let released (r : Y -> R) (z : Z) := sum_if (fun y => rounded y == z) r in
  private epsilon delta (released p) (released q) /\ excess epsilon (released p) (released q) <= excess epsilon p q.
Proof.
move=> plaw qlaw priv released.
have event (r : Y -> R) e : probability (released r) e = probability r (fun y => e (rounded y)).
  rewrite /probability /released /sum_if.
  transitivity (sum (fun z => sum (fun y => if e z && (rounded y == z) then r y else 0))).
    by apply: sum_ext => z; case: (e z) => //=; rewrite sum_zero.
  rewrite sum_swap; apply: sum_ext => y; rewrite (sum_one (i := rounded y)) => [|z /nesym /eqP /negPf ->].
    by rewrite eqxx andbT.
  by rewrite andbF.
split=> [e|]; first by rewrite !event; exact: priv.
by rewrite -excess_attained !event; exact: event_excess.
Qed.

(** Integer rows of norm at most 2^20. *)
Section ExactSums.
Variables (N I : finType) (q : N -> I -> Z).
Hypothesis rows : forall r, sum (fun i => IZR (q r i) ^ 2) <= 2 ^ 40.

Definition partial_sum (part : N -> bool) i j := sum_if part (fun r => IZR (q r i) * IZR (q r j)).

Lemma two_entries r i j : i <> j -> IZR (q r i) ^ 2 + IZR (q r j) ^ 2 <= 2 ^ 40.
Proof.
move=> /nesym /eqP ji; apply: Rle_trans (rows r); rewrite (sum_split _ i); apply: Rplus_le_compat_l.
have pos k : 0 <= (if k != i then IZR (q r k) ^ 2 else 0) by case: (k != i); [exact: pow2_ge_0 | lra].
by have := sum_term j pos; rewrite ji.
Qed.

Lemma term_bound r i j : Rabs (IZR (q r i) * IZR (q r j)) <= (IZR (q r i) ^ 2 + IZR (q r j) ^ 2) / 2.
Proof.
have := pow2_ge_0 (IZR (q r i) - IZR (q r j)); have := pow2_ge_0 (IZR (q r i) + IZR (q r j)).
by rewrite /= => ? ?; apply: Rabs_le; lra.
Qed.

Lemma sum_bound (m : nat) c (part : N -> bool) (f : N -> R) : (#|N| <= m)%nat -> 0 <= c ->
  (forall r, Rabs (f r) <= c) -> Rabs (sum_if part f) <= INR m * c.
Proof.
move=> few c0 each; apply: Rle_trans (sum_abs _) _.
apply: (Rle_trans _ (INR #|N| * c)).
  by rewrite -sum_const; apply: sum_le => r; case: (part r); rewrite ?Rabs_R0.
by apply: Rmult_le_compat_r => //; apply: le_INR; apply/leP.
Qed.

(* @proves DPS-EXACTSUM partial_sums only: bounds of all partial sums, for which integers are floats or fit into int64 *)
Theorem partial_sums (part : N -> bool) i j (m : nat) : (#|N| <= m)%nat ->
  (INR m <= 2 ^ 13 -> Rabs (partial_sum part i j) <= 2 ^ 53 /\ (i <> j -> Rabs (partial_sum part i j) <= 2 ^ 52)) /\
  (INR m <= 2 ^ 22 -> Rabs (partial_sum part i j) <= 2 ^ 62).
Proof.
move=> few.
have entry r k : IZR (q r k) ^ 2 <= 2 ^ 40.
  by apply: Rle_trans (rows r); apply: (sum_term k) => l; exact: pow2_ge_0.
have any : Rabs (partial_sum part i j) <= INR m * 2 ^ 40.
  apply: sum_bound => // [|r]; first by apply: pow_le; lra.
  by apply: Rle_trans (term_bound r i j) _; have := entry r i; have := entry r j; lra.
have off : i <> j -> Rabs (partial_sum part i j) <= INR m * 2 ^ 39.
  move=> ij; apply: sum_bound => // [|r]; first by apply: pow_le; lra.
  by apply: Rle_trans (term_bound r i j) _; have := two_entries r ij; lra.
split=> [m13|m22]; last by lra.
by split=> [|/off]; lra.
Qed.
End ExactSums.

(** A row of norm at most [B], in units [scale] = 2^p: integers of the same ball. *)
Section Quantiser.
Variable I : finType.
Implicit Types (y : I -> R) (q : I -> Z).

Definition squares q := sum (fun i => IZR (q i) ^ 2).
Definition toward_zero (x : R) : Z := if less x 0 then (- floor (- x))%Z else floor x.

Lemma toward_zero_shrinks x : Rabs (IZR (toward_zero x)) <= Rabs x /\ Rabs (IZR (toward_zero x) - x) <= 1.
Proof.
rewrite /toward_zero; case: lessP => [neg|pos].
  have [low high] := floor_bounds (- x); have f0 : 0 <= IZR (floor (- x)).
    by apply: IZR_le; have := @floor_monotone 0 (- x) ltac:(lra); rewrite (@floor_unique 0 0) //; lra.
  by rewrite opp_IZR Rabs_Ropp (Rabs_pos_eq _ f0) (Rabs_left x neg); split; [lra | apply: Rabs_le; lra].
have [low high] := floor_bounds x; have f0 : 0 <= IZR (floor x).
  by apply: IZR_le; have := @floor_monotone 0 x ltac:(lra); rewrite (@floor_unique 0 0) //; lra.
by rewrite (Rabs_pos_eq _ f0) (Rabs_pos_eq x); [split; [lra | apply: Rabs_le; lra] | lra].
Qed.

Lemma squares_integer q : exists n : Z, squares q = IZR n.
Proof.
apply: (big_ind (fun s => exists n : Z, s = IZR n)) => [|_ _ [a ->] [b ->]|i _]; first by exists 0%Z.
  by exists (a + b)%Z; rewrite plus_IZR.
by exists (q i * q i)%Z; rewrite mult_IZR; ring.
Qed.

(** To the nearest integers, and toward zero if these leave the ball. *)
Definition quantised (limit : Z) y i := if at_most (squares (fun i => nearest (y i))) (IZR limit)
  then nearest (y i) else toward_zero (y i).

(* @proves DPS-QUANTISER integers_of_a_ball real, reals for floats, only: rows of norm at most B *)
Theorem integers_of_a_ball (x : I -> R) (B scale : R) :
  0 < B -> 0 < scale -> scale * B <= 2 ^ 20 < 2 * scale * B -> sum (fun i => x i ^ 2) <= B ^ 2 ->
  let y i := scale * x i in
  let q := quantised (floor (B ^ 2 * scale ^ 2)) y in
  squares q <= IZR (floor (B ^ 2 * scale ^ 2)) /\
  sum (fun i => (IZR (q i) / scale) ^ 2) <= B ^ 2 /\
  (forall i, Rabs (IZR (q i) - y i) <= 1) /\
  2 ^ 19 < scale * B <= 2 ^ 20.
Proof.
move=> B0 s0 [coarse fine] ball y q; have s2 : 0 < scale ^ 2 by exact: pow_lt.
have y_ball : sum (fun i => y i ^ 2) <= B ^ 2 * scale ^ 2.
  rewrite (sum_ext (g := fun i => scale ^ 2 * x i ^ 2)) => [|i]; last by rewrite /y; ring.
  by rewrite sum_scale Rmult_comm; apply: Rmult_le_compat_r; lra.
have inside : squares q <= IZR (floor (B ^ 2 * scale ^ 2)).
  rewrite /q /quantised; case: at_mostP => [//|_].
  have [n e] := squares_integer (fun i => toward_zero (y i)); rewrite e; apply: IZR_le.
  rewrite -(@floor_unique (IZR n) n); last lra.
  apply: floor_monotone; rewrite -e; apply: Rle_trans y_ball; apply: sum_le => i.
  by rewrite -(pow2_abs (IZR _)) -(pow2_abs (y i)); apply: pow_incr; split;
    [exact: Rabs_pos | case: (toward_zero_shrinks (y i))].
split=> //; split.
  rewrite (sum_ext (g := fun i => / scale ^ 2 * IZR (q i) ^ 2)) => [|i]; last by field; lra.
  rewrite sum_scale; apply: (Rmult_le_reg_l (scale ^ 2)) => //.
  rewrite -Rmult_assoc Rinv_r; [|lra]; rewrite Rmult_1_l Rmult_comm; apply: Rle_trans inside _.
  by have [] := floor_bounds (B ^ 2 * scale ^ 2).
split=> [i|]; last lra.
rewrite /q /quantised; case: at_most; last by case: (toward_zero_shrinks (y i)).
by have := floor_bounds (y i + 1 / 2) => ?; rewrite /nearest; apply: Rabs_le; lra.
Qed.
End Quantiser.

(** What a ball decides: an evaluation of the number [x] is an interval around it, and it decides if both ends are
    rounded to one integer. *)
Definition encloses (ball : R * R) (x : R) := ball.1 <= x <= ball.2.
Definition decides (ball : R * R) (n : Z) := nearest ball.1 = n /\ nearest ball.2 = n.

(* @proves DPS-REPLAY one_decision real, reals for floats, only: every ball that decides releases the number's integer; not how many words stay open *)
Theorem one_decision (x : R) :
  (forall ball n, encloses ball x -> decides ball n -> n = nearest x) /\
  (forall fine coarse n m, encloses fine x -> encloses coarse x -> decides fine n -> decides coarse m -> n = m) /\
  (forall fine coarse n, coarse.1 <= fine.1 <= fine.2 -> fine.2 <= coarse.2 -> decides coarse n -> decides fine n).
Proof.
have rises y z : y <= z -> (nearest y <= nearest z)%Z by move=> le; apply: floor_monotone; lra.
have own ball n : encloses ball x -> decides ball n -> n = nearest x.
  by move=> [/rises low /rises high] [e1 e2]; rewrite e1 in low; rewrite e2 in high; lia.
split; first exact: own.
split=> [fine coarse n m near near' one other|fine coarse n [low middle] high [e1 e2]].
  by rewrite (own _ _ near one) (own _ _ near' other).
have := rises _ _ low; have := rises _ _ middle; have := rises _ _ high; rewrite e1 e2 /decides; lia.
Qed.

(** The step that makes a law exact, on finitely many points H_t = spectral (U t) lambda of an orbit. *)
Section Correction.
Variables (K : scalars) (d : nat) (T : finType).
Add Ring scalar_ring_of_correction : (ring_laws K).
Variables (base : T -> R) (U : T -> 'I_d -> 'I_d -> K) (lambda : 'I_d -> R) (lowest highest : 'I_d).
Variables (A Q : 'I_d -> 'I_d -> K) (w r : 'I_d -> R) (e c : R).
Hypothesis base_law : is_law base.
Hypothesis U1 : forall t, unitary (U t).
Hypothesis Q1 : forall i, norm2 (column Q i) = 1.
Hypothesis range : forall i, lambda lowest <= lambda i <= lambda highest.

Let H t := spectral (U t) lambda.
Let C := spectral Q w.
Let B := spectral Q (fun i => w i + r i).
Let D := difference A C.
(** That |A - C|_2 is at most [e] gives this. *)
Hypothesis near : forall v : 'I_d -> K, norm2 v = 1 -> Rabs (inner D (outer v)) <= e.

Definition trace (M : 'I_d -> 'I_d -> K) := sum (fun i => re (M i i)).
Definition spread := sum (fun i => Rabs (lambda i - c)).
Definition h t i := inner (outer (column Q i)) (H t).
Definition moved t := sum (fun i => Rmax (r i) 0 * (h t i - lambda lowest) + Rmax (- r i) 0 * (lambda highest - h t i)).
Definition log_kept t := inner D (H t) - c * trace D - e * spread - moved t.
Definition partition X := sum (fun t => base t * exp (inner X (H t))).
Definition law X t := base t * exp (inner X (H t)) / partition X.
Definition offset := sum (fun i => Rmax (r i) 0 * lambda lowest - Rmax (- r i) 0 * lambda highest).

Lemma trace_by_basis t M : trace M = sum (fun j => inner M (outer (column (U t) j))).
Proof.
have [_ complete] := U1 t.
rewrite (sum_ext (g := fun j => 1 * inner (outer (column (U t) j)) M)) => [|j]; last by rewrite inner_sym; ring.
rewrite -inner_spectral_left inner_sym; apply: sum_ext => i.
rewrite (sum_one (i := i)) => [|l /nesym /eqP /negPf il].
  congr re; rewrite (_ : spectral _ _ i i = one K) ?conj_one; first ring.
  rewrite /spectral (total_ext (g := fun j => times (U t i j) (conj (U t i j)))) ?complete /delta ?eqxx // => j.
  by rewrite real_one /outer /column; ring.
rewrite (_ : spectral _ _ i l = zero K) ?conj_zero.
  by rewrite (_ : times (M i l) (zero K) = zero K) ?re_zero //; ring.
rewrite /spectral (total_ext (g := fun j => times (U t i j) (conj (U t l j)))) ?complete /delta ?il // => j.
by rewrite real_one /outer /column; ring.
Qed.

Lemma centred t : inner D (H t) - c * trace D = sum (fun j => (lambda j - c) * inner D (outer (column (U t) j))).
Proof.
rewrite (trace_by_basis t) [inner D (H t)]inner_sym inner_spectral_left -sum_scale -sum_sub.
by apply: sum_ext => j; rewrite inner_sym; ring.
Qed.

Lemma centred_bound t : Rabs (inner D (H t) - c * trace D) <= e * spread.
Proof.
rewrite centred; apply: Rle_trans (sum_abs _) _; rewrite -sum_scale; apply: sum_le => j.
rewrite Rabs_mult Rmult_comm; apply: Rmult_le_compat_r; first exact: Rabs_pos.
by apply: near; exact: norm2_column.
Qed.

Lemma moved_ge0 t : 0 <= moved t.
Proof.
apply: sum_ge0 => i.
have := score_range (column Q i) (U1 t) range; rewrite Q1 !Rmult_1_r -/(h t i) => hi.
have : 0 <= Rmax (r i) 0 * (h t i - lambda lowest) by apply: Rmult_le_pos; [exact: Rmax_r | lra].
have : 0 <= Rmax (- r i) 0 * (lambda highest - h t i) by apply: Rmult_le_pos; [exact: Rmax_r | lra].
lra.
Qed.

Lemma moved_weights t : inner B (H t) - inner C (H t) = moved t + offset.
Proof.
rewrite !inner_spectral_left -sum_sub -sum_add; apply: sum_ext => i; rewrite -/(h t i).
have : r i = Rmax (r i) 0 - Rmax (- r i) 0.
  by case: (Rle_dec 0 (r i)) => sign; [rewrite Rmax_left ?Rmax_right | rewrite Rmax_right ?Rmax_left]; lra.
by move: (Rmax (r i) 0) (Rmax (- r i) 0) => p n ->; ring.
Qed.

Lemma partition_gt0 X : 0 < partition X.
Proof.
have [b0 b1] := base_law; have [t t0] : exists t, 0 < base t by apply: sum_pos_term; rewrite b1; lra.
apply: (sum_pos (i := t)) => [s|]; first by apply: Rmult_le_pos => //; exact: exp_ge0.
by apply: Rmult_lt_0_compat => //; exact: exp_pos.
Qed.

(* @proves DPS-CORRECTION corrected_law finite outcomes, decompositions given *)
Theorem corrected_law :
  let constant := offset - c * trace D - e * spread in
  let share := sum (fun t => law B t * exp (log_kept t)) in
  (forall t, log_kept t <= 0) /\
  (forall t, - 2 * e * spread - moved t <= log_kept t) /\
  ((forall i, r i = 0) -> forall t, - 2 * e * spread <= log_kept t) /\
  share = exp constant * partition A / partition B /\
  (forall t, law B t * exp (log_kept t) / share = law A t).
Proof.
move=> constant share.
have bound t : - (e * spread) <= inner D (H t) - c * trace D <= e * spread.
  have := centred_bound t; have := Rle_abs (inner D (H t) - c * trace D).
  by have := Rle_abs (- (inner D (H t) - c * trace D)); rewrite Rabs_Ropp; lra.
have lower t : - 2 * e * spread - moved t <= log_kept t by rewrite /log_kept; have := bound t; lra.
have ZA := partition_gt0 A; have ZB := partition_gt0 B.
have kept t : law B t * exp (log_kept t) = exp constant / partition B * (base t * exp (inner A (H t))).
  have -> : exp (log_kept t) = exp constant * exp (inner A (H t)) / exp (inner B (H t)).
    rewrite /Rdiv -exp_Ropp -!exp_plus; congr exp; have := moved_weights t.
    by rewrite /log_kept /D inner_difference /constant /D; lra.
  by rewrite /law; field; split; [lra | have := exp_pos (inner B (H t)); lra].
have total : share = exp constant * partition A / partition B.
  by rewrite /share (sum_ext kept) sum_scale -/(partition A); field; lra.
split; first by move=> t; rewrite /log_kept; have := bound t; have := moved_ge0 t; lra.
split=> //; split.
  move=> none t; have := lower t; suff -> : moved t = 0 by lra.
  rewrite -(sum_zero (ordinal_finType d)); apply: sum_ext => i; rewrite none Ropp_0 Rmax_left; [ring | lra].
split=> // t; rewrite kept total /law; field; repeat split; try lra.
by have := exp_pos constant; lra.
Qed.
End Correction.
