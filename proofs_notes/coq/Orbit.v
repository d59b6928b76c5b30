(** Hermitian matrices of given spectra: the trace inequality, and what follows for distances on an orbit.

    [spectral U a] is U diag(a) U^* for a unitary matrix [U], so that the orbit of a spectrum [a] is the set of all
    [spectral U a]; [descending a] says that a_1 >= a_2 >= ..., [rev_ord] is the order reversed.  [projector U S] projects
    on the columns [j] of [U] with [S j = true].  [overlap U V j k] is the squared modulus of the inner product of column
    [j] of [U] and column [k] of [V].  Indices of eigenvalues run through 'I_d, that is 0, ..., d - 1.
    Beside the first sections of proofs_notes/orbit.md, and "Linear utility" of proofs_notes/sensitivity.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

(** For a doubly stochastic matrix [D] and two descending sequences, [sum D_ij a_i b_j] is largest at the identity. *)
Section Rearrangement.

(** Two functions with [a i * b j <= (a i * b i - g i) + g j], by summation. *)
Fixpoint potential (a b : nat -> R) k := if k is k'.+1 then potential a b k' + a k' * (b k'.+1 - b k') else 0.

Section Potential.
Variables (a b : nat -> R) (m : nat).
Hypothesis a_down : forall k, (k < m)%nat -> a k.+1 <= a k.
Hypothesis b_down : forall k, (k < m)%nat -> b k.+1 <= b k.

Lemma down (c : nat -> R) i k : (forall k, (k < m)%nat -> c k.+1 <= c k) -> (i + k <= m)%nat -> c (i + k)%nat <= c i.
Proof.
move=> c_down; elim: k => [|k IH] le; first by rewrite addn0; lra.
rewrite addnS; apply: Rle_trans (c_down _ _) (IH _); first by rewrite -addnS.
by apply: leq_trans le; rewrite addnS.
Qed.

Lemma potential_up i k : (i + k <= m)%nat ->
  a i * b (i + k)%nat <= a i * b i - potential a b i + potential a b (i + k)%nat.
Proof.
elim: k => [|k IH] le; first by rewrite addn0; lra.
have le' : (i + k <= m)%nat by apply: leq_trans le; rewrite addnS.
have lt : (i + k < m)%nat by rewrite -addnS.
rewrite addnS /=; have := IH le'; have := b_down lt; have := down a_down le'.
move: (a i) (a (i + k)%nat) (b (i + k)%nat) (b (i + k).+1) => x y u v xy uv.
have : (x - y) * (v - u) <= 0 by rewrite -[X in _ <= X](Rmult_0_r (x - y)); apply: Rmult_le_compat_l; lra.
lra.
Qed.

Lemma potential_down j k : (j + k <= m)%nat ->
  a (j + k)%nat * b j <= a (j + k)%nat * b (j + k)%nat - potential a b (j + k)%nat + potential a b j.
Proof.
elim: k => [|k IH] le; first by rewrite addn0; lra.
have le' : (j + k <= m)%nat by apply: leq_trans le; rewrite addnS.
have lt : (j + k < m)%nat by rewrite -addnS.
rewrite addnS /=; have := IH le'; have := a_down lt; have := b_down lt; have := down b_down le'.
move: (a (j + k)%nat) (a (j + k).+1) (b (j + k)%nat) (b (j + k).+1) (b j) => x y u v w uw vu yx.
have : 0 <= (x - y) * (w - v) by apply: Rmult_le_pos; lra.
lra.
Qed.

Lemma potential_bound i j : (i <= m)%nat -> (j <= m)%nat -> a i * b j <= a i * b i - potential a b i + potential a b j.
Proof.
move=> im jm; case: (leqP i j) => [ij|/ltnW ji].
  by have := @potential_up i (j - i); rewrite subnKC //; apply.
by have := @potential_down j (i - j); rewrite subnKC //; apply.
Qed.
End Potential.

Variable n : nat.
Implicit Types (a b : 'I_n -> R) (D : 'I_n -> 'I_n -> R).
Definition descending a := forall i j : 'I_n, (i <= j)%nat -> a j <= a i.
Definition doubly_stochastic D :=
  (forall i j, 0 <= D i j) /\ (forall i, sum (fun j => D i j) = 1) /\ (forall j, sum (fun i => D i j) = 1).
End Rearrangement.

Lemma rearrangement n (D : 'I_n -> 'I_n -> R) (a b : 'I_n -> R) : doubly_stochastic D -> descending a -> descending b ->
  sum (fun i => sum (fun j => D i j * (a i * b j))) <= sum (fun i => a i * b i).
Proof.
case: n D a b => [|m] D a b; first by move=> _ _ _; rewrite /sum !big_ord0; lra.
move=> [D0 [rows cols]] a_down b_down.
pose A k := a (inord k); pose B k := b (inord k); pose g (i : 'I_m.+1) := potential A B i.
have steps (c : 'I_m.+1 -> R) : descending c -> forall k, (k < m)%nat -> c (inord k.+1) <= c (inord k).
  by move=> c_down k lt; apply: c_down; rewrite !inordK // ltnW.
have bound i j : a i * b j <= a i * b i - g i + g j.
  have := @potential_bound A B m (steps a a_down) (steps b b_down) i j.
  by rewrite /A /B !inord_val; apply; rewrite -ltnS.
apply: (Rle_trans _ (sum (fun i => sum (fun j => D i j * (a i * b i - g i + g j))))).
  by apply: sum_le => i; apply: sum_le => j; apply: Rmult_le_compat_l.
have -> : sum (fun i => sum (fun j => D i j * (a i * b i - g i + g j))) =
    sum (fun i => (a i * b i - g i) * sum (fun j => D i j)) + sum (fun j => g j * sum (fun i => D i j)).
  rewrite (sum_ext (fun j => esym (sum_scale (g j) (fun i => D i j)))) [X in _ + X]sum_swap -sum_add;
    apply: sum_ext => i.
  by rewrite -sum_scale -sum_add; apply: sum_ext => j; ring.
rewrite -sum_add; apply: Req_le; apply: sum_ext => i; rewrite rows cols; ring.
Qed.

Lemma rearrangement_reversed n (D : 'I_n -> 'I_n -> R) (a b : 'I_n -> R) : doubly_stochastic D -> descending a ->
  descending b -> sum (fun i => a i * b (rev_ord i)) <= sum (fun i => sum (fun j => D i j * (a i * b j))).
Proof.
move=> [D0 [rows cols]] a_down b_down.
have flip (f : 'I_n -> R) : sum f = sum (fun j => f (rev_ord j)) by apply: sum_bijection; exact: rev_ordK.
have := @rearrangement n (fun i j => D i (rev_ord j)) a (fun j => - b (rev_ord j)).
rewrite (sum_ext (g := fun i => - sum (fun j => D i j * (a i * b j)))) => [|i]; last first.
  by rewrite [in RHS]flip -sum_opp; apply: sum_ext => j; ring.
rewrite (sum_ext (f := fun i => a i * - b (rev_ord i)) (g := fun i => - (a i * b (rev_ord i)))) => [|i]; last ring.
rewrite !sum_opp => bound; suff : - sum (fun i => sum (fun j => D i j * (a i * b j)))
  <= - sum (fun i => a i * b (rev_ord i)) by lra.
apply: bound => //; last first.
  by move=> i j ij; apply: Ropp_le_contravar; apply: b_down; rewrite /=; apply: leq_sub2l.
by split=> //; split=> [i|j] //; rewrite -(rows i) [RHS]flip.
Qed.

Section Spectral.
Variables (K : scalars) (I : finType).
Add Ring scalar_ring : (ring_laws K).
Notation "x * y" := (times x y) : scalar_scope.
Delimit Scope scalar_scope with S.
Implicit Types (U V : I -> I -> K) (a b : I -> R) (x y : I -> K).

Definition outer x i l := (x i * conj (x l))%S.
Definition unitary U := orthonormal U /\ forall i l, total (fun j => U i j * conj (U l j))%S = delta K i l.
Definition spectral U a i l := total (fun j => real K (a j) * outer (column U j) i l)%S.
Definition projector U (S : I -> bool) := spectral U (fun j => if S j then 1 else 0).
Definition overlap U V j k := abs2 (dot (column U j) (column V k)).

Lemma inner_outer x y : inner (outer x) (outer y) = abs2 (dot x y).
Proof.
rewrite /abs2 dot_conj /inner.
rewrite (_ : (dot x y * dot y x)%S = total (fun i => total (fun l => (x i * conj (y i)) * (y l * conj (x l))))%S).
  rewrite re_total; apply: sum_ext => i; rewrite re_total; apply: sum_ext => l; congr re.
  by rewrite /outer conj_times conj_conj; ring.
rewrite (_ : (dot x y * dot y x)%S = (dot y x * dot x y)%S); last ring.
by rewrite /dot -total_scale; apply: total_ext => i; rewrite total_scale; ring.
Qed.

Lemma inner_spectral_left U a (B : I -> I ->
  K) : inner (spectral U a) B = sum (fun j => a j * inner (outer (column U j)) B).
Proof. by rewrite inner_total; apply: sum_ext => j; rewrite inner_real_scale. Qed.

Lemma inner_spectral U V a b :
  inner (spectral U a) (spectral V b) = sum (fun j => sum (fun k => overlap U V j k * (a j * b k))).
Proof.
rewrite inner_spectral_left; apply: sum_ext => j.
rewrite inner_sym inner_spectral_left -sum_scale; apply: sum_ext => k.
by rewrite inner_outer dot_flip /overlap; ring.
Qed.

Lemma parseval V x : unitary V -> sum (fun k => abs2 (dot x (column V k))) = norm2 x.
Proof.
move=> [_ complete].
rewrite /abs2 -re_total (_ : total _ = dot x x) ?dot_self //.
transitivity (total (fun k => total (fun i => total (fun l => (x i * conj (x l)) * (V l k * conj (V i k)))))%S).
  apply: total_ext => k; rewrite dot_conj.
  rewrite (_ : (dot x _ * dot _ x)%S = (dot (column V k) x * dot x (column V k))%S); last ring.
  rewrite /dot -total_scale; apply: total_ext => i.
  rewrite (_ : (total _ * _)%S = ((x i * conj (column V k i)) * total (fun l => column V k l * conj (x l)))%S);
    last ring.
  by rewrite -total_scale; apply: total_ext => l; rewrite /column; ring.
rewrite total_swap; apply: total_ext => i; rewrite total_swap.
transitivity (total (fun l => delta K i l * (x i * conj (x l)))%S); last exact: total_delta.
apply: total_ext => l; rewrite total_scale complete /delta [l == i]eq_sym; ring.
Qed.

Lemma overlap_ge0 U V j k : 0 <= overlap U V j k. Proof. exact: square_ge0. Qed.

Lemma norm2_column U j : unitary U -> norm2 (column U j) = 1.
Proof. by move=> [orth _]; rewrite -dot_self orth /delta eqxx re_one. Qed.

Lemma overlap_rows U V j : unitary U -> unitary V -> sum (fun k => overlap U V j k) = 1.
Proof. by move=> U1 V1; rewrite parseval // norm2_column. Qed.

Lemma overlap_columns U V k : unitary U -> unitary V -> sum (fun j => overlap U V j k) = 1.
Proof.
move=> U1 V1; rewrite -(overlap_rows k V1 U1); apply: sum_ext => j; exact: dot_flip.
Qed.

Lemma overlap_self U j k : unitary U -> overlap U U j k = if j == k then 1 else 0.
Proof. by move=> [orth _]; rewrite /overlap orth /delta; case: (j == k); [exact: abs2_one | exact: abs2_zero]. Qed.

Lemma inner_same_basis U a b : unitary U -> inner (spectral U a) (spectral U b) = sum (fun j => a j * b j).
Proof.
move=> U1; rewrite inner_spectral; apply: sum_ext => j; rewrite (sum_one (i := j)) => [|k /nesym /eqP /negPf jk].
  by rewrite overlap_self // eqxx Rmult_1_l.
by rewrite overlap_self // jk Rmult_0_l.
Qed.

(** The distance of two matrices, by their spectra and overlaps. *)
Lemma distance_by_overlaps U V a b : unitary U -> unitary V ->
  frobenius2 (difference (spectral U a) (spectral V b)) =
    sum (fun j => sum (fun k => overlap U V j k * (a j - b k) ^ 2)).
Proof.
move=> U1 V1; rewrite frobenius2_difference /frobenius2 !inner_same_basis // inner_spectral.
have -> : sum (fun j => a j * a j) = sum (fun j => sum (fun k => overlap U V j k * (a j * a j))).
  apply: sum_ext => j; rewrite (sum_ext (g := fun k => (a j * a j) * overlap U V j k)) => [|k]; last ring.
  by rewrite sum_scale overlap_rows //; ring.
have -> : sum (fun k => b k * b k) = sum (fun j => sum (fun k => overlap U V j k * (b k * b k))).
  rewrite sum_swap; apply: sum_ext => k; rewrite (sum_ext (g := fun j => (b k * b k) * overlap U V j k)) => [|j];
    last ring.
  by rewrite sum_scale overlap_columns //; ring.
rewrite -sum_scale -sum_add -sum_sub; apply: sum_ext => j.
by rewrite -sum_scale -sum_add -sum_sub; apply: sum_ext => k; ring.
Qed.
End Spectral.

Section Spectra.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_spectra : (ring_laws K).
Implicit Types (U V : 'I_d -> 'I_d -> K) (a b : 'I_d -> R).

Lemma overlaps_stochastic U V : unitary U -> unitary V -> doubly_stochastic (overlap U V).
Proof.
move=> U1 V1; split; first exact: overlap_ge0.
by split=> [j|k]; [exact: overlap_rows | exact: overlap_columns].
Qed.

Lemma trace_upper U V a b : unitary U -> unitary V -> descending a -> descending b ->
  inner (spectral U a) (spectral V b) <= sum (fun i => a i * b i).
Proof. by move=> U1 V1 a1 b1; rewrite inner_spectral; apply: rearrangement => //; exact: overlaps_stochastic. Qed.

Lemma trace_lower U V a b : unitary U -> unitary V -> descending a -> descending b ->
  sum (fun i => a i * b (rev_ord i)) <= inner (spectral U a) (spectral V b).
Proof. by move=> U1 V1 a1 b1; rewrite inner_spectral; apply: rearrangement_reversed => //;
  exact: overlaps_stochastic. Qed.

(** The columns in another order. *)
Lemma reversed_unitary U : unitary U -> unitary (fun i j => U i (rev_ord j)).
Proof.
move=> [orth complete]; split=> [j k|i l]; last first.
  by rewrite -(complete i l) /total [RHS](reindex_inj rev_ord_inj).
by rewrite [LHS]orth /delta (eqtype.inj_eq rev_ord_inj).
Qed.

Lemma reversed_spectral U a i l : spectral (fun i j => U i (rev_ord j)) a i l = spectral U (fun j => a (rev_ord j)) i l.
Proof.
rewrite /spectral /total [RHS](reindex_inj rev_ord_inj); apply: eq_bigr => j _.
by rewrite rev_ordK.
Qed.

(* @proves MWKTV-P2.1 optimum_on_the_orbit finite dimension, decompositions given *)
Theorem optimum_on_the_orbit V (gamma lambda : 'I_d -> R) : unitary V -> descending gamma -> descending lambda ->
  let M := spectral V gamma in
  (forall U, unitary U ->
    sum (fun i => lambda i * gamma (rev_ord i)) <= inner M (spectral U lambda) <= sum (fun i => lambda i * gamma i)) /\
  inner M (spectral V lambda) = sum (fun i => lambda i * gamma i) /\
  inner M (spectral V (fun i => lambda (rev_ord i))) = sum (fun i => lambda i * gamma (rev_ord i)) /\
  (forall U, unitary U ->
    frobenius2 (difference M (spectral V lambda)) <= frobenius2 (difference M (spectral U lambda))).
Proof.
move=> V1 g1 l1 M.
have best : inner M (spectral V lambda) = sum (fun i => lambda i * gamma i).
  by rewrite inner_same_basis //; apply: sum_ext => i; ring.
have upper U : unitary U -> inner M (spectral U lambda) <= sum (fun i => lambda i * gamma i).
  by move=> U1; rewrite inner_sym; exact: trace_upper.
split; first by move=> U U1; split; [rewrite inner_sym; exact: trace_lower | exact: upper].
split=> //; split.
  rewrite inner_same_basis //.
  rewrite (@sum_bijection _ _ (@rev_ord d) (@rev_ord d)); try exact: rev_ordK.
  by apply: sum_ext => i; rewrite rev_ordK; ring.
move=> U U1; rewrite !frobenius2_difference best; have := upper U U1.
rewrite /frobenius2 !inner_same_basis //; lra.
Qed.

Lemma distance_and_gap U V (gamma lambda : 'I_d -> R) : unitary U -> unitary V ->
  frobenius2 (difference (spectral V gamma) (spectral U lambda)) = sum (fun i => (gamma i - lambda i) ^ 2)
    + 2 * (sum (fun i => gamma i * lambda i) - inner (spectral V gamma) (spectral U lambda)).
Proof.
move=> U1 V1; rewrite frobenius2_difference /frobenius2 !inner_same_basis //.
rewrite (sum_ext (f := fun i => (gamma i - lambda i) ^ 2)
  (g := fun i => (gamma i * gamma i + lambda i * lambda i) - 2 * (gamma i * lambda i))) => [|i]; last ring.
by rewrite sum_sub sum_add sum_scale; ring.
Qed.

(* @proves MWKTV-L9.1 squared_distance finite dimension, decompositions given *)
Theorem squared_distance U V (gamma lambda : 'I_d -> R) : unitary U -> unitary V ->
  let gap b := sum (fun i => b i * lambda i) - inner (spectral V b) (spectral U lambda) in
  frobenius2 (difference (spectral V gamma) (spectral U lambda)) =
    sum (fun i => (gamma i - lambda i) ^ 2) + 2 * gap gamma /\
  frobenius2 (difference (spectral V lambda) (spectral U lambda)) = 2 * gap lambda.
Proof.
move=> U1 V1 gap; split; first exact: distance_and_gap.
rewrite distance_and_gap // (sum_ext (g := fun _ => 0)) => [|i]; last ring.
by rewrite sum_zero /gap; ring.
Qed.

(* @proves MWKTV-E22 squared_error finite dimension, decompositions given *)
Theorem squared_error U V (lambda : 'I_d -> R) (released : 'I_d -> R) (k : nat) : unitary U -> unitary V ->
  (forall i : 'I_d, (k <= i)%nat -> released i = 0) ->
  let gap := sum_if (fun i : 'I_d => (i < k)%nat) (fun i => lambda i * released i)
             - inner (spectral V lambda) (spectral U released) in
  frobenius2 (difference (spectral V lambda) (spectral U released)) =
    sum_if (fun i : 'I_d => (k <= i)%nat) (fun i => lambda i ^ 2)
    + sum_if (fun i : 'I_d => (i < k)%nat) (fun i => (lambda i - released i) ^ 2) + 2 * gap /\
  (descending lambda -> descending released -> 0 <= gap).
Proof.
move=> U1 V1 zeros gap.
have same : sum_if (fun i : 'I_d => (i < k)%nat) (fun i => lambda i * released i) =
  sum (fun i => lambda i * released i).
  by apply: sum_ext => i; case: ltnP => // le; rewrite zeros //; ring.
split=> [|l1 r1]; last by rewrite /gap same; have := trace_upper V1 U1 l1 r1; lra.
rewrite distance_and_gap // /gap same; congr (_ + _).
rewrite -sum_add; apply: sum_ext => i; case: ltnP => [lt|le]; first by ring.
by rewrite zeros //; ring.
Qed.

(* @proves MWKTV-S3d orbit_diameter finite dimension, decompositions given *)
Theorem orbit_diameter (lambda : 'I_d -> R) : descending lambda ->
  let diameter2 := sum (fun i => (lambda i - lambda (rev_ord i)) ^ 2) in
  (forall U V, unitary U -> unitary V -> frobenius2 (difference (spectral U lambda) (spectral V lambda))
    <= diameter2) /\
  (forall U, unitary U -> exists V, unitary V /\
    frobenius2 (difference (spectral U lambda) (spectral V lambda)) = diameter2) /\
  diameter2 = 2 * sum (fun i => lambda i ^ 2) - 2 * sum (fun i => lambda i * lambda (rev_ord i)) /\
  ((forall i, 0 <= lambda i) -> diameter2 <= 2 * sum (fun i => lambda i ^ 2)).
Proof.
move=> l1 diameter2.
have flip (f : ordinal_finType d -> R) : sum (fun i => f (rev_ord i)) = sum f.
  by rewrite [RHS](@sum_bijection _ _ (@rev_ord d) (@rev_ord d)) //; exact: rev_ordK.
have formula : diameter2 = 2 * sum (fun i => lambda i ^ 2) - 2 * sum (fun i => lambda i * lambda (rev_ord i)).
  rewrite /diameter2 (sum_ext (g := fun i => (lambda i ^ 2 + lambda (rev_ord i) ^ 2)
    - 2 * (lambda i * lambda (rev_ord i)))) => [|i]; last ring.
  by rewrite sum_sub sum_add sum_scale (flip (fun i : ordinal_finType d => lambda i ^ 2)); ring.
have squares : sum (fun i => lambda i * lambda i) = sum (fun i => lambda i ^ 2) by apply: sum_ext => i; ring.
have distance U V : unitary U -> unitary V -> frobenius2 (difference (spectral U lambda) (spectral V lambda)) =
    2 * sum (fun i => lambda i ^ 2) - 2 * inner (spectral U lambda) (spectral V lambda).
  by move=> U1 V1; rewrite frobenius2_difference /frobenius2 !inner_same_basis // squares; ring.
split=> [U V U1 V1|].
  by rewrite distance // formula; have := trace_lower U1 V1 l1 l1; lra.
split=> [U U1|].
  exists (fun i j => U i (rev_ord j)); split; first exact: reversed_unitary.
  rewrite distance //; last exact: reversed_unitary.
  rewrite formula; congr (_ - 2 * _); rewrite -(inner_same_basis lambda (fun j => lambda (rev_ord j)) U1).
  by apply: sum_ext => i; apply: sum_ext => l; rewrite reversed_spectral.
split=> // l0; rewrite formula.
have : 0 <= sum (fun i => lambda i * lambda (rev_ord i)) by apply: sum_ge0 => i; exact: Rmult_le_pos.
lra.
Qed.

(** A row [x] is replaced by [y]: the score of H = spectral U lambda changes by [inner y y^* - inner x x^*]. *)
Lemma score_range U lambda (x : 'I_d -> K) lo hi : unitary U -> (forall i, lo <= lambda i <= hi) ->
  lo * norm2 x <= inner (outer x) (spectral U lambda) <= hi * norm2 x.
Proof.
move=> U1 range; rewrite -(parseval x U1) inner_sym inner_spectral_left -!sum_scale.
split; apply: sum_le => j; rewrite inner_outer dot_flip; apply: Rmult_le_compat_r; try exact: square_ge0.
  by case: (range j).
by case: (range j).
Qed.

(* @proves MWKTV-L6.1 score_sensitivity finite dimension, decompositions given *)
Theorem score_sensitivity U (lambda : 'I_d -> R) (largest smallest : 'I_d) (M : 'I_d -> 'I_d -> K) (x y : 'I_d -> K) :
  unitary U -> (forall i, lambda smallest <= lambda i <= lambda largest) -> norm2 x <= 1 -> norm2 y <= 1 ->
  let H := spectral U lambda in
  let M' i j := plus (minus (M i j) (outer x i j)) (outer y i j) in
  Rabs (inner M' H - inner M H) <= Rmax (lambda largest) 0 - Rmin (lambda smallest) 0 /\
  (0 <= lambda smallest -> Rabs (inner M' H - inner M H) <= lambda largest).
Proof.
move=> U1 range x1 y1 H M'.
have change : inner M' H - inner M H = inner (outer y) H - inner (outer x) H.
  suff -> : inner M' H = inner M H - inner (outer x) H + inner (outer y) H by ring.
  rewrite -sum_sub -sum_add; apply: sum_ext => i; rewrite -sum_sub -sum_add; apply: sum_ext => j.
  rewrite -re_minus -re_plus; congr re; rewrite /M'.
  ring.
rewrite change.
have [x_low x_high] := score_range x U1 range; have [y_low y_high] := score_range y U1 range.
have x0 := norm2_ge0 x; have y0 := norm2_ge0 y.
have high (t : R) : 0 <= t <= 1 -> lambda largest * t <= Rmax (lambda largest) 0.
  move=> [t0 t1]; apply: (Rle_trans _ (Rmax (lambda largest) 0 * t)); first by apply: Rmult_le_compat_r => //;
    exact: Rmax_l.
  by rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l => //; exact: Rmax_r.
have low (t : R) : 0 <= t <= 1 -> Rmin (lambda smallest) 0 <= lambda smallest * t.
  move=> [t0 t1]; apply: (Rle_trans _ (Rmin (lambda smallest) 0 * t)); last by apply: Rmult_le_compat_r => //;
    exact: Rmin_l.
  have := Rmin_r (lambda smallest) 0; move: (Rmin _ _) => m m0.
  have : (- m) * t <= (- m) * 1 by apply: Rmult_le_compat_l; lra.
  lra.
have xs : 0 <= norm2 x <= 1 by []; have ys : 0 <= norm2 y <= 1 by [].
have := high _ xs; have := high _ ys; have := low _ xs; have := low _ ys => l1 l2 l3 l4.
have bound : Rabs (inner (outer y) H - inner (outer x) H) <= Rmax (lambda largest) 0 - Rmin (lambda smallest) 0.
  by apply: Rabs_le; rewrite /H; lra.
split=> // s0; move: bound; rewrite Rmin_right // Rmax_left; first lra.
by case: (range largest); lra.
Qed.
End Spectra.
