(** Eigenspaces of near matrices, given diagonalisations: sin-Theta bounds in Frobenius norm, and distances on an orbit.

    M = spectral U a and N = spectral V b with unitary [U], [V] (Orbit.v); [top k] are the places 0, ..., k - 1, so that
    [projector U (top k)] projects on the first [k] columns of [U].  [norm A] is the Frobenius norm.
    Everything rests on the identity [distance_by_overlaps] of Orbit.v: the squared distance of M and N is the sum of
    [overlap U V j k * (a j - b k) ^ 2], of which the blocks with j < k <= l bound the distance of the projectors.
    Beside "Sin Theta", "Sin Theta with both gaps" and "The orbit map and the rotation" of proofs_notes/perturbation.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars Orbit.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Lemma le_sqrt x y : 0 <= y -> x ^ 2 <= y -> x <= sqrt y.
Proof.
move=> y0 le; case: (Rle_dec 0 x) => [x0|neg]; last by have := sqrt_pos y; lra.
rewrite -(sqrt_pow2 x x0); exact: sqrt_le_1_alt.
Qed.

Lemma sqrt_square x : 0 <= x -> sqrt x ^ 2 = x.
Proof. by move=> x0; rewrite /= Rmult_1_r sqrt_sqrt. Qed.

Lemma sqrt_scaled c x y : 0 <= c -> 0 <= x -> 0 <= y -> c ^ 2 * x <= y -> c * sqrt x <= sqrt y.
Proof. by move=> c0 x0 y0 le; apply: le_sqrt => //; rewrite Rpow_mult_distr sqrt_square. Qed.

Section TwoMatrices.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_angles : (ring_laws K).
Implicit Types (U V : 'I_d -> 'I_d -> K) (a b : 'I_d -> R).

Definition norm (A : 'I_d -> 'I_d -> K) := sqrt (frobenius2 A).
Definition top k (j : 'I_d) := (j < k)%nat.

(** Overlap of the first [k] columns of [U] with the others of [V]: half the squared distance of the projectors. *)
Definition block U V k := sum (fun j => sum (fun l => overlap U V j l * (if top k j && ~~ top k l then 1 else 0))).

Lemma block_ge0 U V k : 0 <= block U V k.
Proof.
apply: sum_ge0 => j; apply: sum_ge0 => l; apply: Rmult_le_pos; first exact: overlap_ge0.
by case: (_ && _); lra.
Qed.

Lemma block_flip U V k : unitary U -> unitary V -> block V U k = block U V k.
Proof.
move=> U1 V1; pose t (j : ordinal_finType d) := if top k j then 1 else 0.
have share W X : unitary W -> unitary X ->
    block W X k = sum t - sum (fun j => sum (fun l => overlap W X j l * (t j * t l))).
  move=> W1 X1; rewrite -sum_sub; apply: sum_ext => j.
  have e : t j = sum (fun l => t j * overlap W X j l) by rewrite sum_scale overlap_rows //; ring.
  rewrite [X in _ = X - _]e -sum_sub; apply: sum_ext => l.
  by rewrite /t; case: (top k j); case: (top k l) => /=; ring.
rewrite !share // sum_swap; congr (_ - _); apply: sum_ext => j; apply: sum_ext => l.
by rewrite /overlap dot_flip [t l * _]Rmult_comm.
Qed.

Lemma projectors_distance U V k : unitary U -> unitary V ->
  frobenius2 (difference (projector U (top k)) (projector V (top k))) = 2 * block U V k.
Proof.
move=> U1 V1; rewrite distance_by_overlaps //.
rewrite (_ : 2 * block U V k = block U V k + block V U k); last by rewrite (block_flip k V1 U1); ring.
rewrite [block V U k]sum_swap -sum_add; apply: sum_ext => j; rewrite -sum_add; apply: sum_ext => l.
rewrite [overlap V U l j](_ : _ = overlap U V j l); last exact: dot_flip.
by case: (top k j); case: (top k l) => /=; ring.
Qed.

Section Gaps.
Variables (U V : 'I_d -> 'I_d -> K) (a b : 'I_d -> R) (k : nat).
Hypothesis U1 : unitary U.
Hypothesis V1 : unitary V.
Let M := spectral U a.
Let N := spectral V b.
Let P := projector U (top k).
Let Q := projector V (top k).

Lemma one_sided_gap g : 0 <= g -> (forall j l, top k j -> ~~ top k l -> g <= a j - b l) ->
  g ^ 2 * block U V k <= frobenius2 (difference M N).
Proof.
move=> g0 gap; rewrite distance_by_overlaps // -sum_scale; apply: sum_le => j; rewrite -sum_scale; apply: sum_le => l.
have o := overlap_ge0 U V j l; case: (boolP (top k j && ~~ top k l)) => [/andP [jk lk]|_]; last first.
  by rewrite !Rmult_0_r; apply: Rmult_le_pos => //; exact: pow2_ge_0.
rewrite Rmult_1_r Rmult_comm; apply: Rmult_le_compat_l => //; apply: pow_incr; split=> //; exact: gap.
Qed.

(** <M, P - Q> is at least the gap of M times the block. *)
Lemma gap_of_one high low : (forall j, top k j -> high <= a j) -> (forall l, ~~ top k l -> a l <= low) ->
  (high - low) * block U V k <= inner M P - inner M Q.
Proof.
move=> tops bottoms.
have MP : inner M P = sum (fun j => sum (fun l => overlap U V j l * (a j * (if top k j then 1 else 0)))).
  rewrite /M /P inner_same_basis //; apply: sum_ext => j.
  rewrite -[LHS]Rmult_1_r -(overlap_rows j U1 V1) -sum_scale; apply: sum_ext => l; ring.
rewrite MP /M /Q inner_spectral -sum_sub.
rewrite (_ : (high - low) * block U V k = high * block U V k - low * block V U k);
  last by rewrite (block_flip k U1 V1); ring.
rewrite [block V U k]sum_swap -!sum_scale -sum_sub; apply: sum_le => j; rewrite -!sum_scale -!sum_sub;
  apply: sum_le => l.
rewrite [overlap V U l j](_ : _ = overlap U V j l); last exact: dot_flip.
have o := overlap_ge0 U V j l; have t := tops j; have u := bottoms j.
case: (top k j) t u => t u; case: (top k l) => /=; rewrite ?Rmult_0_r ?Rmult_1_r; try lra.
  by have := Rmult_le_compat_l _ _ _ o (t isT); lra.
by have := Rmult_le_compat_l _ _ _ o (u isT); lra.
Qed.
End Gaps.

Lemma norm2_norm (A : 'I_d -> 'I_d -> K) : norm A ^ 2 = frobenius2 A.
Proof. exact: sqrt_square (frobenius2_ge0 A). Qed.

Lemma inner_le_norms (A B : 'I_d -> 'I_d -> K) : inner A B <= norm A * norm B.
Proof.
rewrite /norm -sqrt_mult; try exact: frobenius2_ge0.
apply: le_sqrt; first by apply: Rmult_le_pos; exact: frobenius2_ge0.
exact: cauchy_schwarz_inner.
Qed.

(** [last] and [next] are the places k and k + 1 of the notes. *)
Lemma top_bounds a k (last next : 'I_d) : descending a -> last.+1 = k -> next = k :> nat ->
  (forall j, top k j -> a last <= a j) /\ (forall l, ~~ top k l -> a l <= a next).
Proof.
move=> down lastk nextk; split=> [j|l] top_j; apply: down.
  by rewrite -ltnS lastk.
by rewrite nextk leqNgt.
Qed.

(* @proves MWKTV-L8.2 one_sided_sin_theta finite dimension, decompositions given, only: Frobenius norm *)
Theorem one_sided_sin_theta U V a b k (last next : 'I_d) : unitary U -> unitary V -> descending a -> descending b ->
  last.+1 = k -> next = k :> nat -> 0 < a last - b next ->
  norm (difference (projector U (top k)) (projector V (top k)))
    <= sqrt 2 * norm (difference (spectral U a) (spectral V b)) / (a last - b next).
Proof.
move=> U1 V1 a1 b1 lastk nextk gap.
have [tops _] := top_bounds a1 lastk nextk; have [_ bottoms] := top_bounds b1 lastk nextk.
apply: le_div => //; rewrite Rmult_comm /norm -sqrt_mult; [|lra|exact: frobenius2_ge0].
apply: sqrt_scaled; [lra | exact: frobenius2_ge0 | by apply: Rmult_le_pos; [lra | exact: frobenius2_ge0] |].
rewrite projectors_distance //.
have := @one_sided_gap U V a b k U1 V1 (a last - b next) (Rlt_le _ _ gap).
move=> le; have : (a last - b next) ^ 2 * block U V k <= frobenius2 (difference (spectral U a) (spectral V b)).
  by apply: le => j l jk lk; have := tops j jk; have := bottoms l lk; lra.
lra.
Qed.

Lemma both_gaps U V a b k (last next : 'I_d) : unitary U -> unitary V -> descending a -> descending b ->
  last.+1 = k -> next = k :> nat ->
  let P := projector U (top k) in let Q := projector V (top k) in
  ((a last - a next) + (b last - b next)) / 2 * frobenius2 (difference P Q)
    <= inner (difference (spectral U a) (spectral V b)) (difference P Q).
Proof.
move=> U1 V1 a1 b1 lastk nextk P Q.
have [a_tops a_bottoms] := top_bounds a1 lastk nextk; have [b_tops b_bottoms] := top_bounds b1 lastk nextk.
have one := @gap_of_one U V a k U1 V1 _ _ a_tops a_bottoms.
have other := @gap_of_one V U b k V1 U1 _ _ b_tops b_bottoms.
rewrite projectors_distance // inner_difference ![inner _ (difference P Q)]inner_sym !inner_difference.
rewrite ![inner P _]inner_sym ![inner Q _]inner_sym; rewrite (block_flip k U1 V1) in other.
by rewrite /P /Q; lra.
Qed.

(* @proves MWKTV-L8.2S symmetric_sin_theta finite dimension, decompositions given *)
Theorem symmetric_sin_theta U V a b k (last next : 'I_d) : unitary U -> unitary V -> descending a -> descending b ->
  last.+1 = k -> next = k :> nat ->
  let M := spectral U a in let N := spectral V b in
  let P := projector U (top k) in let Q := projector V (top k) in
  let gaps := (a last - a next) + (b last - b next) in
  gaps / 2 * norm (difference P Q) ^ 2 <= inner (difference M N) (difference P Q) /\
  inner (difference M N) (difference P Q) <= norm (difference M N) * norm (difference P Q) /\
  (0 < gaps -> norm (difference P Q) <= 2 * norm (difference M N) / gaps).
Proof.
move=> U1 V1 a1 b1 lastk nextk M N P Q gaps.
have lower : gaps / 2 * norm (difference P Q) ^ 2 <= inner (difference M N) (difference P Q).
  by rewrite norm2_norm; exact: both_gaps.
have upper := inner_le_norms (difference M N) (difference P Q).
split=> //; split=> // gaps0; apply: le_div => //.
have : 0 <= norm (difference P Q) by exact: sqrt_pos.
case=> [p0|<-]; last by rewrite Rmult_0_l; apply: Rmult_le_pos; [lra | exact: sqrt_pos].
apply: (Rmult_le_reg_r (norm (difference P Q))) => //; lra.
Qed.

(** Both matrices of one spectrum. *)
Lemma same_spectrum U V a k (last next : 'I_d) : unitary U -> unitary V -> descending a ->
  last.+1 = k -> next = k :> nat ->
  (a last - a next) * norm (difference (projector U (top k)) (projector V (top k)))
    <= norm (difference (spectral U a) (spectral V a)).
Proof.
move=> U1 V1 a1 lastk nextk.
have gap0 : 0 <= a last - a next by have := a1 last next; rewrite nextk -lastk leqnSn => /(_ isT); lra.
have [lower [upper _]] := symmetric_sin_theta U1 V1 a1 a1 lastk nextk.
set p := norm (difference (projector _ _) _) in lower upper *.
have : 0 <= p by exact: sqrt_pos.
case=> [p0|<-]; last by rewrite Rmult_0_r; exact: sqrt_pos.
apply: (Rmult_le_reg_r p) => //; lra.
Qed.

(* @proves MWKTV-E13 sin_theta_same_spectrum finite dimension, decompositions given, only: Frobenius norm *)
Theorem sin_theta_same_spectrum U V a k (last next : 'I_d) : unitary U -> unitary V -> descending a ->
  last.+1 = k -> next = k :> nat ->
  (a last - a next) * norm (difference (projector U (top k)) (projector V (top k)))
    <= norm (difference (spectral U a) (spectral V a)).
Proof. exact: same_spectrum. Qed.

(* @proves MWKTV-E15 separation_is_kept finite dimension, decompositions given, only: spectra of the first i and the last m values *)
(* @proves MWKTV-E38 separation_is_kept finite dimension, decompositions given, only: spectra of the first i and the last m values *)
(* @proves MWKTV-E43 separation_is_kept finite dimension, decompositions given, only: spectra of the first i and the last m values *)
Theorem separation_is_kept U V a k (last next : 'I_d) zeta : unitary U -> unitary V -> descending a ->
  last.+1 = k -> next = k :> nat ->
  let g := a last - a next in
  0 < g -> zeta / g < norm (difference (projector U (top k)) (projector V (top k))) ->
  zeta < norm (difference (spectral U a) (spectral V a)).
Proof.
move=> U1 V1 a1 lastk nextk g g0 apart; apply: Rlt_le_trans (same_spectrum U1 V1 a1 lastk nextk); rewrite -/g.
have := Rmult_lt_compat_l g _ _ g0 apart; rewrite (_ : g * (zeta / g) = zeta) //; field; lra.
Qed.

(** The orbit near its diagonal point: a rotation [U] moves diag(a) by at most the spread times its distance from 1. *)
Definition identity (i j : 'I_d) : K := delta K i j.

Lemma delta_sym (i j : 'I_d) : delta K i j = delta K j i.
Proof. by rewrite /delta eq_sym. Qed.

Lemma conj_delta (i j : 'I_d) : conj (delta K i j) = delta K i j.
Proof. by rewrite /delta; case: (i == j); [exact: conj_one | exact: conj_zero]. Qed.

Lemma identity_unitary : unitary identity.
Proof.
split=> [j k|i l].
  rewrite /dot /column /identity (total_ext (g := fun i => times (delta K j i) (delta K i k))) ?total_delta // => i.
  by rewrite conj_delta delta_sym.
rewrite /identity (total_ext (g := fun j => times (delta K i j) (delta K j l))) ?total_delta // => j.
by rewrite conj_delta [delta K l j]delta_sym.
Qed.

Lemma overlap_identity U j k : overlap U identity j k = abs2 (U k j).
Proof.
rewrite /overlap -(abs2_conj (U k j)) /dot -abs2_conj; congr abs2.
rewrite total_conj (total_ext (g := fun i => times (delta K k i) (conj (U i j)))) ?total_delta // => i.
by rewrite conj_times conj_conj /column /identity [delta K i k]delta_sym; exact: (Rmul_comm (ring_laws K)).
Qed.

(* @proves MWKTV-E35 orbit_map_stays_near finite dimension, decompositions given, only: both inequalities for any unitary matrix; not its distance by angles *)
Theorem orbit_map_stays_near U a (largest smallest : 'I_d) : unitary U ->
  (forall j, a smallest <= a j <= a largest) ->
  norm (difference (spectral U a) (spectral identity a)) <= (a largest - a smallest) * norm (difference U identity) /\
  (- a largest <= a smallest ->
    norm (difference (spectral U a) (spectral identity a)) <= 2 * a largest * norm (difference U identity)).
Proof.
move=> U1 range; have s0 : 0 <= a largest - a smallest by case: (range largest); lra.
have n0 : 0 <= norm (difference U identity) by exact: sqrt_pos.
have sharp : norm (difference (spectral U a) (spectral identity a)) <= (a largest - a smallest)
  * norm (difference U identity).
  rewrite -[X in X * _](sqrt_pow2 _ s0) /norm -sqrt_mult; [|exact: pow2_ge_0|exact: frobenius2_ge0].
  apply: sqrt_le_1_alt; rewrite distance_by_overlaps //; last exact: identity_unitary.
  rewrite sum_swap -sum_scale; apply: sum_le => k; rewrite -sum_scale; apply: sum_le => j.
  rewrite overlap_identity; case: (eqVneq k j) => [->|kj].
    rewrite Rminus_eq_0 (_ : 0 ^ 2 = 0); last ring.
    by rewrite Rmult_0_r; apply: Rmult_le_pos; [exact: pow2_ge_0 | exact: square_ge0].
  have -> : re (times (difference U identity k j) (conj (difference U identity k j))) = abs2 (U k j).
    congr re; rewrite /difference /identity /delta (negPf kj).
    by rewrite (_ : minus (U k j) (zero K) = U k j) //; ring.
  rewrite Rmult_comm; apply: Rmult_le_compat_r; first exact: square_ge0.
  rewrite -Rsqr_pow2 -(Rsqr_pow2 (a largest - _)); apply: Rsqr_le_abs_1.
  rewrite [X in _ <= X]Rabs_pos_eq //; apply: Rabs_le; have := range j; have := range k; lra.
split=> // signs; apply: Rle_trans sharp _; apply: Rmult_le_compat_r => //; lra.
Qed.

(* @proves MWKTV-L9.2 loss_and_distance finite dimension, decompositions given, only: the loss is small exactly if the distance is *)
(* @proves MWKTV-E47 loss_and_distance finite dimension, decompositions given, only: the loss is small exactly if the distance is *)
(* @proves MWKTV-E48 loss_and_distance finite dimension, decompositions given, only: the loss is small exactly if the distance is *)
Theorem loss_and_distance U V a (eta share : R) : unitary U -> unitary V -> 0 < eta -> 0 < share ->
  let S := sum (fun i => a i ^ 2) in
  let radius := sqrt (2 * share * S) in
  S - inner (spectral V a) (spectral U a) < eta ^ 2 * share * S <->
    norm (difference (spectral V a) (spectral U a)) < eta * radius.
Proof.
move=> U1 V1 eta0 share0 S radius.
have S0 : 0 <= S by apply: sum_ge0 => i; exact: pow2_ge_0.
have r0 : 0 <= 2 * share * S by apply: Rmult_le_pos; lra.
have loss2 : norm (difference (spectral V a) (spectral U a)) ^ 2 = 2 * (S - inner (spectral V a) (spectral U a)).
  rewrite norm2_norm; have [_ ->] := squared_distance a a U1 V1.
  by rewrite (sum_ext (g := fun i => a i ^ 2)) // => i; ring.
have radius2 : (eta * radius) ^ 2 = 2 * (eta ^ 2 * share * S) by rewrite Rpow_mult_distr sqrt_square //; ring.
have n0 : 0 <= norm (difference (spectral V a) (spectral U a)) by exact: sqrt_pos.
have e0 : 0 <= eta * radius by apply: Rmult_le_pos; [lra | exact: sqrt_pos].
split=> lt.
  apply: Rsqr_incrst_0 => //; rewrite !Rsqr_pow2 loss2 radius2; lra.
have := Rsqr_incrst_1 _ _ lt n0 e0; rewrite !Rsqr_pow2 loss2 radius2; lra.
Qed.
End TwoMatrices.
