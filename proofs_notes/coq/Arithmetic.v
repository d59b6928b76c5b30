(** What is finite in the chapter on arithmetic: roundings, integer rows, exact sums, and the step that corrects a law.

    [floor x] is the largest integer that is at most [x], and [nearest x = floor (x + 1/2)] rounds half up.  Integers are
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

(* @proves DPS-AMBIGUOUS certain_rounding partial: real numbers and a monotone rounding; that the distance is a float is assumed *)
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

(* @proves DPS-CONTRACTION rounded_entries partial: all but that the program's number is this one *)
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
(* @proves DPS-ROUNDED rounded_release partial: the claims of the first two sentences but GDP, finite outcomes *)
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

(* @proves DPS-EXACTSUM partial_sums partial: bounds of all partial sums, for which integers are floats or fit into int64 *)
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
