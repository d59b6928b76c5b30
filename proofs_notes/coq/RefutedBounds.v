(** Displays and bounds that are false as printed, for private mechanisms on the orbit of a spectrum.

    A mechanism has a law on finitely many outputs for each matrix, and is private if the laws of two matrices are, that
    differ by the replacement of a row; [value y] is the matrix that an output stands for.  What is false for finitely many
    outputs is false for the mechanisms of the paper.  Each [printed] is a statement with its printed quantifiers and
    hypotheses, and false over the real and over the complex numbers.
    Beside the sections of the same labels in proofs_notes/lower_bounds.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Privacy Scalars Orbit SinTheta RefutedRemarks.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Bounds.
Variable K : scalars.
Add Ring scalar_ring_of_bounds : (ring_laws K).
Notation matrix d := ('I_d -> 'I_d -> K).

(** A row [x] of the unit ball is replaced by another, [y]. *)
Definition replacement d (M M' : matrix d) := exists x y : 'I_d -> K, norm2 x <= 1 /\ norm2 y <= 1 /\
  forall i j, M' i j = plus (minus (M i j) (outer x i j)) (outer y i j).
Definition mechanism d (Y : finType) epsilon (law : matrix d -> Y -> R) := (forall M, is_law (law M)) /\
  forall M M', replacement M M' -> private epsilon 0 (law M) (law M') /\ private epsilon 0 (law M') (law M).
Definition spectrum d (lambda : 'I_d -> R) := descending lambda /\ forall i, 0 <= lambda i.
(** Squared diameter of the orbit: [orbit_diameter] of Orbit.v. *)
Definition diameter2 d (lambda : 'I_d -> R) := sum (fun i => (lambda i - lambda (rev_ord i)) ^ 2).
Definition close d (Y : finType) (value : Y -> matrix d) radius (M : matrix d) y := at_most (norm (difference (value y) M)) radius.
Definition at_least d (Y : finType) (value : Y -> matrix d) error2 (M : matrix d) y :=
  at_most error2 (frobenius2 (difference M (value y))).
(** Points [spectral (U s) lambda] of an orbit, any two more than [separation] apart. *)
Definition packed d n (lambda : 'I_d -> R) (U : 'I_n.+1 -> matrix d) separation := (forall s, unitary (U s)) /\
  forall s t, s <> t -> separation < norm (difference (spectral (U s) lambda) (spectral (U t) lambda)).

(** The first link of the display: the whole orbit against two of its points. *)
Definition printed_path := forall d (lambda : 'I_d -> R) (U V : matrix d) epsilon,
  spectrum lambda -> unitary U -> unitary V -> 0 < epsilon ->
  exp (- (2 * epsilon * diameter2 lambda)) <=
    exp (- (epsilon * (frobenius2 (difference (spectral U lambda) (spectral V lambda)) + INR d))).

(** Balls of radius [zeta] around [n.+1] points, each hit half of the time. *)
Definition printed_sum := forall d n (lambda : 'I_d -> R) (U : 'I_n.+1 -> matrix d) (Y : finType) epsilon law
  (value : Y -> matrix d) zeta,
  spectrum lambda -> 0 < epsilon -> mechanism epsilon law -> packed lambda U (2 * zeta) ->
  (forall s, 1 / 2 <= probability (law (spectral (U s) lambda)) (close value zeta (spectral (U s) lambda))) ->
  2 * INR n.+1 * exp (- (2 * epsilon * diameter2 lambda)) <= 1.
Definition printed_sum_of_body := forall d n (lambda : 'I_d -> R) (U : 'I_n.+1 -> matrix d) (W : matrix d) (Y : finType)
  epsilon law (value : Y -> matrix d) alpha eta r,
  spectrum lambda -> 0 < epsilon -> mechanism epsilon law -> packed lambda U (2 * (eta * r)) ->
  0 < alpha -> 0 < eta -> 0 < r -> unitary W ->
  (forall s, norm (difference (spectral (U s) lambda) (spectral W lambda)) <= 2 * alpha * r) ->
  (forall s, 1 / 2 <= probability (law (spectral (U s) lambda)) (close value (eta * r) (spectral (U s) lambda))) ->
  INR n.+1 * exp (- (epsilon * (INR d + 16 * alpha ^ 2 * r ^ 2))) <= 1.

(** If the packing is large, some matrix has a squared error of [zeta^2] half of the time; outputs lie on the orbit. *)
Definition printed_packing := forall d n (lambda : 'I_d -> R) (U : 'I_n.+1 -> matrix d) (Y : finType) epsilon law
  (value : Y -> matrix d) zeta,
  spectrum lambda -> 0 < epsilon -> mechanism epsilon law -> 0 < zeta -> packed lambda U zeta ->
  4 * epsilon * diameter2 lambda <= ln (INR n.+1) ->
  (forall y, exists W, unitary W /\ value y = spectral W lambda) ->
  exists V, unitary V /\
    1 / 2 <= probability (law (spectral V lambda)) (at_least value (zeta ^ 2) (spectral V lambda)).

(** Two values, 100 + t and 100: there are enough rows to replace. *)
Definition pair t : 'I_2 -> R := fun i => if (i : nat) is 0%nat then 100 + t else 100.
Definition turned : matrix 2 := fun i j => identity K i (rev_ord j).
Definition two (s : 'I_2) : matrix 2 := if (s : nat) is 0%nat then @identity K 2 else turned.

Lemma pair_spectrum t : 0 <= t -> spectrum (pair t).
Proof. by move=> t0; split=> [[[|i] i2] [[|j] j2]|[[|i] i2]] //= *; rewrite /pair /=; lra. Qed.

Lemma pair_diameter t : diameter2 (pair t) = 2 * t ^ 2.
Proof. by rewrite /diameter2 two_terms /pair /=; ring. Qed.

Lemma two_unitary s : unitary (two s).
Proof.
have one := @identity_unitary K 2; rewrite /two; case: (nat_of_ord s) => // _.
exact: (reversed_unitary one).
Qed.

Lemma diagonal_distance d (a b : 'I_d -> R) :
  frobenius2 (difference (spectral (@identity K d) a) (spectral (@identity K d) b)) = sum (fun i => (a i - b i) ^ 2).
Proof.
have one := @identity_unitary K d; rewrite (distance_by_overlaps a b one one); apply: sum_ext => i.
rewrite (sum_one (i := i)) => [|k /nesym /eqP /negPf ik]; rewrite overlap_self //; first by rewrite eqxx; ring.
by rewrite ik; ring.
Qed.

Lemma two_diagonal t s i l : spectral (two s) (pair t) i l =
  spectral (@identity K 2) (if (s : nat) is 0%nat then pair t else fun j => pair t (rev_ord j)) i l.
Proof. by rewrite /two; case: (nat_of_ord s) => // _; rewrite /turned reversed_spectral. Qed.

Lemma frobenius2_ext d (A B A' B' : matrix d) : (forall i j, A i j = A' i j) -> (forall i j, B i j = B' i j) ->
  frobenius2 (difference A B) = frobenius2 (difference A' B').
Proof. by move=> a b; apply: sum_ext => i; apply: sum_ext => j; rewrite /difference a b. Qed.

Lemma two_distance t s s' : frobenius2 (difference (spectral (two s) (pair t)) (spectral (two s') (pair t))) =
  if s == s' then 0 else 2 * t ^ 2.
Proof.
rewrite (frobenius2_ext (two_diagonal t s) (two_diagonal t s')) diagonal_distance two_terms.
by move: s s' => [[|[|s]] p] [[|[|s']] p'] //; rewrite /pair /= -?val_eqE /=; ring.
Qed.

Lemma two_packed t z : 0 <= t -> z < sqrt 2 * t -> packed (n := 1) (pair t) two z.
Proof.
move=> t0 zt; split=> [s|s s' /eqP ss']; first exact: two_unitary.
by rewrite /norm two_distance (negPf ss') sqrt_mult ?sqrt_pow2 //; [lra | exact: pow2_ge_0].
Qed.

Lemma constant_mechanism d (Y : finType) epsilon (p : Y -> R) : 0 <= epsilon -> is_law p ->
  mechanism (d := d) epsilon (fun _ => p).
Proof.
move=> e0 law; split=> // _ _ _; have same : private epsilon 0 p p; last by split.
move=> event; have [p0 _] := law_event event law.
have := exp_le e0; rewrite exp_0 => e1; have := Rmult_le_compat_r _ _ _ p0 e1; lra.
Qed.

(** A fair coin between the two points, whatever the matrix is. *)
Definition coin (s : 'I_2) := 1 / 2.
Definition side t s := spectral (two s) (pair t).

Lemma coin_law : is_law coin.
Proof. by split=> [s|]; rewrite ?two_terms /coin; lra. Qed.

Lemma coin_success t radius s : 0 <= radius -> 1 / 2 <= probability coin (close (side t) radius (side t s)).
Proof.
move=> r0; have hit : close (side t) radius (side t s) s.
  by apply/at_mostP; rewrite /norm /side two_distance eqxx sqrt_0.
by rewrite /probability /sum_if (sum_split _ s) hit /coin; have : 0 <= sum_if (fun k => k != s)
  (fun k => if close (side t) radius (side t s) k then 1 / 2 else 0);
  [apply: sum_ge0 => k; case: (k != s) => //; try lra; case: close; lra | rewrite /sum_if; lra].
Qed.

(* @refutes MWKTV-E9 path_refuted finite dimension, only: the first of the two links *)
Theorem path_refuted : ~ printed_path.
Proof.
move=> all; have one := @identity_unitary K 2; have small : 0 <= 1 / 32 by lra.
have := all 2%nat (pair (1 / 32)) _ _ 1 (pair_spectrum small) one one Rlt_0_1.
rewrite diagonal_distance pair_diameter two_terms !Rminus_eq_0.
by have := exp_increasing (- (1 * ((0 ^ 2 + 0 ^ 2) + INR 2))) (- (2 * 1 * (2 * (1 / 32) ^ 2))); rewrite /=; lra.
Qed.

Lemma exp_above x : 1 - x <= exp (- x).
Proof. by case: (Req_dec x 0) => [->|x0]; [rewrite Ropp_0 exp_0; lra | have := exp_ineq1 (- x); lra]. Qed.

Lemma sqrt2_above1 : 1 < sqrt 2.
Proof. by rewrite -{1}sqrt_1; apply: sqrt_lt_1_alt; lra. Qed.

(* @refutes MWKTV-E10 sum_refuted finite dimension *)
Theorem sum_refuted : ~ printed_sum.
Proof.
move=> all; have t0 := Rle_0_1; have e0 : 0 < 1 / 10 by lra.
have apart : packed (n := 1) (pair 1) two (2 * (1 / 2)) by apply: two_packed => //; have := sqrt2_above1; lra.
have := all 2%nat 1%nat (pair 1) two _ (1 / 10) _ (side 1) (1 / 2) (pair_spectrum t0) e0
  (constant_mechanism 2 (Rlt_le _ _ e0) coin_law) apart.
rewrite pair_diameter => claim; have : 2 * INR 2 * exp (- (2 * (1 / 10) * (2 * 1 ^ 2))) <= 1.
  by apply: claim => s; apply: coin_success; lra.
by have := exp_above (2 * (1 / 10) * (2 * 1 ^ 2)); rewrite /=; lra.
Qed.

(* @refutes MWKTV-E51 sum_of_body_refuted finite dimension *)
Theorem sum_of_body_refuted : ~ printed_sum_of_body.
Proof.
move=> all; have t0 := Rle_0_1; have e0 : 0 < 1 / 100 by lra.
have apart : packed (n := 1) (pair 1) two (2 * (1 / 2 * 1)) by apply: two_packed => //; have := sqrt2_above1; lra.
have := all 2%nat 1%nat (pair 1) two (two ord0) _ (1 / 100) _ (side 1) 1 (1 / 2) 1 (pair_spectrum t0) e0
  (constant_mechanism 2 (Rlt_le _ _ e0) coin_law) apart.
move=> claim; have : INR 2 * exp (- (1 / 100 * (INR 2 + 16 * 1 ^ 2 * 1 ^ 2))) <= 1.
  apply: claim => [||||s|s]; try lra; [exact: two_unitary | | by apply: coin_success; lra].
  rewrite /norm two_distance; apply: (Rle_trans _ (sqrt 2)).
    by apply: sqrt_le_1_alt; case: (s == ord0); lra.
  by have := sqrt_pow2 2; have := sqrt_le_1_alt 2 (2 ^ 2); lra.
by have := exp_above (1 / 100 * (INR 2 + 16 * 1 ^ 2 * 1 ^ 2)); rewrite /=; lra.
Qed.

(** Three lines of the plane, along the axes and half-way between them; any two are so far apart that no matrix is nearly
    opposite to both. *)
Definition half : K := real K (sqrt (1 / 2)).
Definition diagonal : matrix 2 := fun i j => if (i : nat) is 0%nat then half else if (j : nat) is 0%nat then half else opposite half.
Definition lines (y : 'I_3) : matrix 2 :=
  match (y : nat) with 0%nat => @identity K 2 | 1%nat => turned | _ => diagonal end.

Lemma total_pair (f : 'I_2 -> K) : total f = plus (f ord0) (f ord_max).
Proof.
rewrite /total !big_ord_recl big_ord0 (_ : lift ord0 ord0 = ord_max); last exact: val_inj.
by rewrite /=; ring.
Qed.

Lemma half_square : plus (times half half) (times half half) = one K.
Proof.
have square : times half half = real K (1 / 2).
  by have := square_real half; rewrite conj_real re_scale re_real sqrt_sqrt //; lra.
rewrite square; set y := plus _ _.
have re_y : re y = 1 by rewrite /y re_plus re_real; lra.
have none : re (times (minus y (one K)) (conj (minus y (one K)))) = 0.
  rewrite conj_minus conj_one /y conj_plus conj_real -/y.
  rewrite (_ : times _ _ = plus (times (real K (1 / 2)) (minus y (one K))) (minus (times (real K (1 / 2)) (minus y (one K)))
    (minus y (one K)))); last by rewrite {1}/y; ring.
  by rewrite re_plus re_minus !re_scale re_minus re_y re_one; lra.
by rewrite -[LHS](_ : plus (minus y (one K)) (one K) = _); [rewrite (square_eq0 none); ring | ring].
Qed.

Lemma diagonal_unitary : unitary diagonal.
Proof.
have conj_half : conj half = half by exact: conj_real.
by split=> [[[|[|j]] j2] [[|[|k]] k2]|[[|[|j]] j2] [[|[|k]] k2]] //; rewrite /dot total_pair /column /diagonal /delta -val_eqE /=
  ?conj_opposite !conj_half -?half_square; ring.
Qed.

Lemma lines_unitary y : unitary (lines y).
Proof.
rewrite /lines; case: (nat_of_ord y) => [|[|_]]; [exact: identity_unitary | | exact: diagonal_unitary].
exact: (reversed_unitary (@identity_unitary K 2)).
Qed.

Lemma pair_distance t (U V : matrix 2) : unitary U -> unitary V ->
  frobenius2 (difference (spectral U (pair t)) (spectral V (pair t))) = 2 * t ^ 2 * (1 - overlap U V ord0 ord0).
Proof.
move=> U1 V1; rewrite distance_by_overlaps // !two_terms.
have := overlap_rows ord0 U1 V1; have := overlap_columns ord0 U1 V1; rewrite !two_terms => columns rows.
have -> : overlap U V ord0 ord_max = 1 - overlap U V ord0 ord0 by lra.
have -> : overlap U V ord_max ord0 = 1 - overlap U V ord0 ord0 by lra.
by rewrite /pair /=; ring.
Qed.

Lemma difference_bound (x y : K) : abs2 (minus x y) <= 2 * abs2 x + 2 * abs2 y.
Proof.
have sum0 := square_ge0 (plus x y); rewrite -/(abs2 _) in sum0.
suff -> : abs2 (minus x y) = 2 * abs2 x + 2 * abs2 y - abs2 (plus x y) by lra.
rewrite /abs2 conj_minus conj_plus.
have e : plus (times (minus x y) (minus (conj x) (conj y))) (times (plus x y) (plus (conj x) (conj y))) =
  plus (plus (times x (conj x)) (times x (conj x))) (plus (times y (conj y)) (times y (conj y))) by ring.
have := f_equal (@re K) e; rewrite !re_plus; lra.
Qed.

(* @refutes MWKTV-E7 packing_refuted finite dimension *)
Theorem packing_refuted : ~ printed_packing.
Proof.
move=> all; have t0 := Rle_0_1; have z0 : 0 < sqrt (19 / 10) by apply: sqrt_lt_R0; lra.
have e0 : 0 < 1 / 16 by lra.
have apart : packed (n := 1) (pair 1) two (sqrt (19 / 10)).
  by apply: two_packed => //; rewrite Rmult_1_r; apply: sqrt_lt_1_alt; lra.
pose value (y : 'I_3) := spectral (lines y) (pair 1).
have law : is_law (fun _ : 'I_3 => 1 / 3) by split=> [y|]; [lra | rewrite sum_const card_ord /=; lra].
have [|y|V [V1 half]] := all 2%nat 1%nat (pair 1) two _ (1 / 16) _ value (sqrt (19 / 10)) (pair_spectrum t0) e0
  (constant_mechanism 2 (Rlt_le _ _ e0) law) z0 apart.
- rewrite pair_diameter -[X in X <= _]ln_exp; apply: ln_le; first exact: exp_pos.
  have half : exp (1 / 2) * exp (1 / 2) <= 4.
    by rewrite -exp_plus (_ : 1 / 2 + 1 / 2 = 1); [have := exp_le_3; lra | lra].
  rewrite (_ : 4 * _ * _ = 1 / 2) ?[INR 2]/=; last by rewrite /=; lra.
  by have := exp_pos (1 / 2); nra.
- by exists (lines y); split; [exact: lines_unitary|].
have unit_column := norm2_column ord0 V1; rewrite /norm2 two_terms /column in unit_column.
set a := V ord0 ord0 in unit_column; set b := V ord_max ord0 in unit_column.
have shared W : overlap V W ord0 ord0 = abs2 (plus (times a (conj (W ord0 ord0))) (times b (conj (W ord_max ord0)))).
  by rewrite /overlap /dot total_pair.
have first : overlap V (lines ord0) ord0 ord0 = abs2 a.
  by rewrite shared /= /identity /delta /= conj_one conj_zero; congr abs2; ring.
have second : overlap V (lines (inord 1)) ord0 ord0 = abs2 b.
  by rewrite shared /lines inordK //= /turned /identity /delta -!val_eqE /= conj_one conj_zero; congr abs2; ring.
have third : overlap V (lines (inord 2)) ord0 ord0 = abs2 (plus a b) / 2.
  rewrite shared /lines inordK // /diagonal /= (_ : plus _ _ = times (real K (sqrt (1 / 2))) (plus a b));
    last by rewrite /half conj_real; ring.
  rewrite abs2_times {1}/abs2 conj_real re_scale re_real sqrt_sqrt; lra.
have b_small : abs2 b <= 2 * abs2 (plus a b) + 2 * abs2 a.
  by rewrite -[X in abs2 X](_ : minus (plus a b) a = b); [exact: difference_bound | ring].
have a_small : abs2 a <= 2 * abs2 (plus a b) + 2 * abs2 b.
  by rewrite -[X in abs2 X](_ : minus (plus a b) b = a); [exact: difference_bound | ring].
move: half; rewrite /probability /sum_if /sum !big_ord_recl big_ord0 sqrt_square; last lra.
rewrite (_ : lift ord0 ord0 = inord 1 :> 'I_3); last by apply: val_inj; rewrite /= inordK.
rewrite (_ : lift ord0 (lift ord0 ord0) = inord 2 :> 'I_3); last by apply: val_inj; rewrite /= inordK.
rewrite /at_least /value; do 3 (case: at_mostP); rewrite !pair_distance //; try exact: lines_unitary.
all: rewrite first second third; lra.
Qed.
End Bounds.
