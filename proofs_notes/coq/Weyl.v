(** Eigenvalues of sums of Hermitian matrices, given diagonalisations.

    A matrix is [spectral U a] with [U] unitary and [a] descending (Orbit.v); its value at a vector is the quadratic
    form [inner A (outer x)].  The minimum and the maximum of the notes are replaced by a vector: fewer than [d]
    conditions of orthogonality leave one that is not zero, and on it the forms are compared.
    Places run through 'I_d, that is 0, ..., d - 1: place i + j here is i + j - 1 of the notes.
    Beside "Weyl" and "Rank-one downdate" of proofs_notes/perturbation.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars Orbit SinTheta.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Equations.
Variable K : scalars.
Add Ring scalar_ring_of_equations : (ring_laws K).
Notation "x + y" := (plus x y) : scalar_scope.
Notation "x * y" := (times x y) : scalar_scope.
Delimit Scope scalar_scope with S.

Lemma abs2_positive (x : K) : x <> zero K -> 0 < abs2 x.
Proof. by move=> x0; case: (square_ge0 x) => // e; case: x0; exact: square_eq0 (esym e). Qed.

Lemma times_nonzero (x y : K) : x <> zero K -> y <> zero K -> (x * y)%S <> zero K.
Proof.
move=> /abs2_positive x0 /abs2_positive y0 e; have := Rmult_lt_0_compat _ _ x0 y0.
by rewrite -abs2_times e abs2_zero; lra.
Qed.

Lemma zero_or_not (x : K) : x = zero K \/ x <> zero K.
Proof.
case: (Req_dec (abs2 x) 0) => [/square_eq0|x0]; first by left.
by right=> e; rewrite e abs2_zero in x0.
Qed.

Lemma one_nonzero : one K <> zero K.
Proof. by move=> e; have := abs2_one K; rewrite e abs2_zero; lra. Qed.

Lemma total_lift n (f : 'I_n.+1 -> K) j : total f = (f j + total (fun i => f (lift j i)))%S.
Proof. exact: bigD1_ord. Qed.

(** Fewer equations than unknowns. *)
Lemma solution m n (A : 'I_m -> 'I_n -> K) : (m < n)%nat ->
  exists x : 'I_n -> K, (exists j, x j <> zero K) /\ forall i, total (fun j => A i j * x j)%S = zero K.
Proof.
elim: m n A => [|m IH] [//|n] A less.
  by exists (fun _ => one K); split=> [|[]//]; exists ord0; exact: one_nonzero.
have [[pivot nonzero]|none] : (exists j, A ord0 j <> zero K) \/ forall j, A ord0 j = zero K.
- case: (pickP (fun j => ~~ at_most (abs2 (A ord0 j)) 0)) => [j big|all]; [left | right].
    by exists j => e; move: big; rewrite e abs2_zero; case: at_mostP => //; lra.
  move=> j; apply: square_eq0; apply: Rle_antisym; last exact: square_ge0.
  by move: (all j); case: at_mostP.
- pose B (i : 'I_m) (j : 'I_n) := (A ord0 pivot * A (lift ord0 i) (lift pivot j)
    + opposite (one K) * (A (lift ord0 i) pivot * A ord0 (lift pivot j)))%S.
  have [y [[k yk] zeros]] := IH n B less.
  pose rest := total (fun j => A ord0 (lift pivot j) * y j)%S.
  exists (fun j => if unlift pivot j is Some i then (A ord0 pivot * y i)%S else opposite rest); split.
    by exists (lift pivot k); rewrite liftK; exact: times_nonzero.
  have form i : total (fun j => A i j * (if unlift pivot j is Some i then (A ord0 pivot * y i)%S else opposite rest))%S
      = (A ord0 pivot * total (fun j => A i (lift pivot j) * y j) + opposite (A i pivot * rest))%S.
    rewrite (total_lift _ pivot) unlift_none -total_scale.
    rewrite (total_ext (g := fun j => (A ord0 pivot * (A i (lift pivot j) * y j))%S)) => [|j]; last first.
      by rewrite liftK; ring.
    ring.
  move=> i; rewrite form; case: (unliftP ord0 i) => [i' ->|->]; last by rewrite /rest; ring.
  rewrite -(zeros i') /B [total (fun j => (_ + _) * y j)%S](_ : _ = total (fun j =>
    A ord0 pivot * (A (lift ord0 i') (lift pivot j) * y j)
    + (opposite (one K) * A (lift ord0 i') pivot) * (A ord0 (lift pivot j) * y j))%S);
    last by apply: total_ext => j; ring.
  by rewrite total_plus !total_scale /rest; ring.
have [x [x0 zeros]] := IH n.+1 (fun i => A (lift ord0 i)) (ltnW less).
exists x; split=> // i; case: (unliftP ord0 i) => [i' ->|->]; first exact: zeros.
by rewrite (total_ext (g := fun _ => zero K)) ?total_zero // => j; rewrite none; ring.
Qed.

Section Vectors.
Variable d : nat.
Implicit Types (x : 'I_d -> K) (w : 'I_d -> 'I_d -> K).

(** A vector at right angles to fewer than [d] others. *)
Lemma perpendicular (E : finType) (w : E -> 'I_d -> K) : (#|E| < d)%nat ->
  exists x, 0 < norm2 x /\ forall e, dot x (w e) = zero K.
Proof.
move=> few; have [y [[j yj] zeros]] := solution (fun i j => conj (w (enum_val i) j)) few.
exists y; split=> [|e]; first by apply: (sum_pos (i := j)) => [k|]; [exact: square_ge0 | exact: abs2_positive].
by rewrite -(zeros (enum_rank e)) enum_rankK; apply: total_ext => k; ring.
Qed.

Lemma count_below i : (i <= d)%nat -> #|[pred j : 'I_d | (j < i)%nat]| = i.
Proof. by move=> le; rewrite -sum1_card (big_ord_narrow le) sum1_card card_ord. Qed.

Lemma count_above (r : 'I_d) : #|[pred j : 'I_d | (r < j)%nat]| = (d - r.+1)%nat.
Proof.
have := cardC [pred j : 'I_d | (j < r.+1)%nat]; rewrite count_below // card_ord => e.
rewrite -[X in (X - _)%nat]e addKn; apply: eq_card => j; rewrite !inE ltnS; exact: ltnNge.
Qed.

(** Three conditions by places: the first [i] columns of [U], the first [j] of [V], those of [W] after place [r]. *)
Lemma common_vector (U V W : 'I_d -> 'I_d -> K) (i j : nat) (r : 'I_d) : (i + j <= r)%nat ->
  exists x, 0 < norm2 x /\ (forall k : 'I_d, (k < i)%nat -> dot x (column U k) = zero K) /\
    (forall k : 'I_d, (k < j)%nat -> dot x (column V k) = zero K) /\
    (forall k : 'I_d, (r < k)%nat -> dot x (column W k) = zero K).
Proof.
move=> le; have rd := ltn_ord r.
have id : (i <= d)%nat by apply: leq_trans (leq_addr _ _) (leq_trans le (ltnW rd)).
have jd : (j <= d)%nat by apply: leq_trans (leq_addl _ _) (leq_trans le (ltnW rd)).
pose A := [pred k : 'I_d | (k < i)%nat]; pose B := [pred k : 'I_d | (k < j)%nat].
pose C := [pred k : 'I_d | (r < k)%nat].
pose w (e : 'I_#|A| + 'I_#|B| + 'I_#|C|) := match e with
  inl (inl k) => column U (enum_val k) | inl (inr k) => column V (enum_val k) | inr k => column W (enum_val k) end.
have few : (#|[finType of 'I_#|A| + 'I_#|B| + 'I_#|C|]| < d)%nat.
  rewrite !card_sum !card_ord !count_below // count_above; apply: leq_trans (_ : (r.+1 + (d - r.+1))%nat <= d)%nat.
    by rewrite addSn ltnS leq_add2r.
  by rewrite subnKC.
have [x [x0 zeros]] := perpendicular w few; exists x; split=> //.
have at_rank (P : pred 'I_d) k (Pk : k \in P) : enum_val (enum_rank_in Pk k) = k by rewrite enum_rankK_in.
split=> [k ki|]; first by have Ak : k \in A by []; rewrite -(at_rank A k Ak); exact: (zeros (inl (inl _))).
split=> k kj; first by have Bk : k \in B by []; rewrite -(at_rank B k Bk); exact: (zeros (inl (inr _))).
by have Ck : k \in C by []; rewrite -(at_rank C k Ck); exact: (zeros (inr _)).
Qed.
End Vectors.
End Equations.

Section Forms.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_forms : (ring_laws K).
Implicit Types (U V W A B C : 'I_d -> 'I_d -> K) (a b c : 'I_d -> R) (x : 'I_d -> K).

Definition matrix_sum A B i l := plus (A i l) (B i l).

Lemma inner_ext A B C : A =2 B -> inner A C = inner B C.
Proof. by move=> e; apply: sum_ext => i; apply: sum_ext => j; rewrite e. Qed.

Lemma form_spectral U a x : inner (spectral U a) (outer x) = sum (fun j => a j * abs2 (dot x (column U j))).
Proof. by rewrite inner_spectral_left; apply: sum_ext => j; rewrite inner_outer dot_flip. Qed.

Lemma form_sum A B x : inner (matrix_sum A B) (outer x) = inner A (outer x) + inner B (outer x).
Proof.
rewrite -sum_add; apply: sum_ext => i; rewrite -sum_add; apply: sum_ext => j.
by rewrite -re_plus; congr re; rewrite /matrix_sum; ring.
Qed.

Lemma form_upper U a x (i : 'I_d) : unitary U -> descending a ->
  (forall k : 'I_d, (k < i)%nat -> dot x (column U k) = zero K) ->
  inner (spectral U a) (outer x) <= a i * norm2 x.
Proof.
move=> U1 down zeros; rewrite form_spectral -(parseval x U1) -sum_scale; apply: sum_le => k.
case: (ltnP k i) => [/zeros ->|le]; first by rewrite abs2_zero; lra.
by apply: Rmult_le_compat_r; [exact: square_ge0 | exact: down].
Qed.

Lemma form_lower U a x (i : 'I_d) : unitary U -> descending a ->
  (forall k : 'I_d, (i < k)%nat -> dot x (column U k) = zero K) ->
  a i * norm2 x <= inner (spectral U a) (outer x).
Proof.
move=> U1 down zeros; rewrite form_spectral -(parseval x U1) -sum_scale; apply: sum_le => k.
case: (ltnP i k) => [/zeros ->|le]; first by rewrite abs2_zero; lra.
by apply: Rmult_le_compat_r; [exact: square_ge0 | exact: down].
Qed.

(** [U], [V], [W] diagonalise X, Y and X + Y. *)
Lemma weyl_sum U V W a b c (i j r : 'I_d) : unitary U -> unitary V -> unitary W ->
  descending a -> descending b -> descending c ->
  spectral W c =2 matrix_sum (spectral U a) (spectral V b) -> (i + j <= r)%nat -> c r <= a i + b j.
Proof.
move=> U1 V1 W1 a1 b1 c1 together le; have [x [x0 [xU [xV xW]]]] := common_vector U V W le.
have up := form_upper U1 a1 xU; have up' := form_upper V1 b1 xV; have low := form_lower W1 c1 xW.
apply: (Rmult_le_reg_r (norm2 x)) => //; rewrite (inner_ext _ together) form_sum in low; lra.
Qed.

(** Forms that differ by at most [e] have eigenvalues that do. *)
Lemma monotone_values U V a b e (i : 'I_d) : unitary U -> unitary V -> descending a -> descending b ->
  (forall x, inner (spectral V b) (outer x) <= inner (spectral U a) (outer x) + e * norm2 x) -> b i <= a i + e.
Proof.
move=> U1 V1 a1 b1 below; have le : (i + 0 <= i)%nat by rewrite addn0.
have [x [x0 [xU [_ xV]]]] := common_vector U U V le.
have up := form_upper U1 a1 xU; have low := form_lower V1 b1 xV.
apply: (Rmult_le_reg_r (norm2 x)) => //; have := below x; lra.
Qed.

Lemma abs2_opposite (y : K) : abs2 (opposite y) = abs2 y.
Proof. by rewrite /abs2 conj_opposite; congr re; ring. Qed.

(** Eigenvalues belong to the matrix, and add up to its trace. *)
Lemma same_values U V a b : unitary U -> unitary V -> descending a -> descending b -> spectral U a =2 spectral V b ->
  forall i, a i = b i.
Proof.
move=> U1 V1 a1 b1 e i; have same x := inner_ext (outer x) e.
have up : b i <= a i + 0 by apply: (monotone_values i U1 V1) => // x; rewrite same; lra.
have low : a i <= b i + 0 by apply: (monotone_values i V1 U1) => // x; rewrite same; lra.
lra.
Qed.

Lemma sum_of_values U a : unitary U -> sum (fun i => re (spectral U a i i)) = sum a.
Proof.
move=> U1; transitivity (sum (fun i => sum (fun j => a j * abs2 (U i j)))).
  by apply: sum_ext => i; rewrite re_total; apply: sum_ext => j; exact: re_scale.
by rewrite sum_swap; apply: sum_ext => j; rewrite sum_scale -[sum _]/(norm2 (column U j)) norm2_column // Rmult_1_r.
Qed.

(** The matrix A - v v^*. *)
Definition downdate A (v : 'I_d -> K) i l := minus (A i l) (outer v i l).

Lemma form_downdate A v x : inner (downdate A v) (outer x) = inner A (outer x) - abs2 (dot v x).
Proof. by rewrite (inner_difference A (outer v)) inner_outer. Qed.

Lemma downdate_places U W a c v (i : 'I_d) : unitary U -> unitary W -> descending a -> descending c ->
  spectral W c =2 downdate (spectral U a) v -> c i <= a i.
Proof.
move=> U1 W1 a1 c1 e; suff : c i <= a i + 0 by lra.
apply: (monotone_values i U1 W1) => // x; rewrite (inner_ext _ e) form_downdate.
by have := square_ge0 (dot v x); rewrite -/(abs2 _); lra.
Qed.

(* @proves MWKTV-L7.2 rank_one_downdate finite dimension, decompositions given *)
(* @proves MWKTV-E19 rank_one_downdate finite dimension, decompositions given, only: the inequality on every set of vectors, and interlacing; not the max-min form *)
Theorem rank_one_downdate U W a c v : unitary U -> unitary W -> descending a -> descending c ->
  spectral W c =2 downdate (spectral U a) v ->
  (forall (S : ('I_d -> K) -> Prop) least,
    (forall u, S u -> norm2 u = 1 -> least <= inner (downdate (spectral U a) v) (outer u)) ->
    forall u, S u -> norm2 u = 1 -> least <= inner (spectral U a) (outer u)) /\
  (forall i, c i <= a i) /\ (forall i next : 'I_d, next = i.+1 :> nat -> a next <= c i) /\
  sum (fun i => Rabs (a i - c i)) = norm2 v.
Proof.
move=> U1 W1 a1 c1 e; have below i := downdate_places i U1 W1 a1 c1 e; split=> [S least all u Su u1|].
  by have := all u Su u1; rewrite form_downdate; have := square_ge0 (dot v u); rewrite -/(abs2 _); lra.
split=> //; split=> [i next after|].
  have le : (i + 1 <= next)%nat by rewrite after addn1.
  have [x [x0 [xW [xv xU]]]] := common_vector W (fun k _ => v k) U le.
  have up := form_upper W1 c1 xW; have low := form_lower U1 a1 xU.
  apply: (Rmult_le_reg_r (norm2 x)) => //; rewrite (inner_ext _ e) form_downdate in up.
  have first : (0 < d)%nat by apply: leq_ltn_trans (ltn_ord i).
  have := xv (Ordinal first) isT; rewrite (_ : column _ _ = v) // => zero.
  by move: up; rewrite dot_flip zero abs2_zero; lra.
rewrite (sum_ext (g := fun i => a i - c i)) => [|i]; last by apply: Rabs_pos_eq; have := below i; lra.
rewrite sum_sub -(sum_of_values a U1) -(sum_of_values c W1) -sum_sub; apply: sum_ext => i.
by rewrite e /downdate re_minus /outer -/(abs2 _); ring.
Qed.

(** The row [x] is replaced by [y]; [c] are the eigenvalues of what both matrices share. *)
(* @proves MWKTV-E20 spectrum_sensitivity finite dimension, decompositions given *)
Theorem spectrum_sensitivity U V W a b c x y : unitary U -> unitary V -> unitary W ->
  descending a -> descending b -> descending c ->
  spectral W c =2 downdate (spectral U a) x -> spectral W c =2 downdate (spectral V b) y ->
  let moved := sum (fun i => Rabs (a i - b i)) in
  moved <= sum (fun i => Rabs (a i - c i)) + sum (fun i => Rabs (b i - c i)) /\
  moved <= norm2 x + norm2 y /\ (norm2 x <= 1 -> norm2 y <= 1 -> moved <= 2) /\
  ((forall i, x i = zero K) -> norm2 y <= 1 -> moved <= 1).
Proof.
move=> U1 V1 W1 a1 b1 c1 ex ey moved.
have triangle : moved <= sum (fun i => Rabs (a i - c i)) + sum (fun i => Rabs (b i - c i)).
  rewrite -sum_add; apply: sum_le => i; rewrite [Rabs (b i - c i)]Rabs_minus_sym.
  by rewrite (_ : a i - b i = a i - c i + (c i - b i)); [exact: Rabs_triang | ring].
split=> //; move: triangle.
have [_ [_ [_ ->]]] := rank_one_downdate U1 W1 a1 c1 ex; have [_ [_ [_ ->]]] := rank_one_downdate V1 W1 b1 c1 ey.
move=> le; split=> //; split=> [|zeros y1]; first lra.
suff : norm2 x = 0 by lra.
by rewrite /norm2 (sum_ext (g := fun _ => 0)) ?sum_zero // => i; rewrite zeros; exact: abs2_zero.
Qed.

(** A with the columns of t I beside its own: A A^* and [A | t I] [A | t I]^*. *)
Definition row_products (J : finType) (A : 'I_d -> J -> K) i l := total (fun j => times (A i j) (conj (A l j))).
Definition augmented (J : finType) (A : 'I_d -> J -> K) (t : R) i (j : J + 'I_d) :=
  match j with inl j => A i j | inr l => times (real K t) (delta K i l) end.
(** Left singular vectors, and singular values in descending order. *)
Definition singular_left (J : finType) (A : 'I_d -> J -> K) U s :=
  unitary U /\ descending s /\ (forall j, 0 <= s j) /\ row_products A =2 spectral U (fun j => s j ^ 2).

Lemma real_plus p q : real K (p + q) = plus (real K p) (real K q).
Proof.
pose z := minus (real K (p + q)) (plus (real K p) (real K q)).
have whole : real K (p + q) = plus z (plus (real K p) (real K q)) by rewrite /z; ring.
suff z0 : z = zero K by rewrite whole z0; ring.
apply: square_eq0; rewrite {2}/z conj_minus conj_plus !conj_real.
rewrite (_ : times _ _ = minus (times (real K (p + q)) z) (plus (times (real K p) z) (times (real K q) z))); last ring.
by rewrite re_minus re_plus !re_scale /z re_minus re_plus !re_real; ring.
Qed.

Lemma real_times p q : real K (p * q) = times (real K p) (real K q).
Proof.
pose z := minus (real K (p * q)) (times (real K p) (real K q)).
have whole : real K (p * q) = plus z (times (real K p) (real K q)) by rewrite /z; ring.
suff z0 : z = zero K by rewrite whole z0; ring.
apply: square_eq0; rewrite {2}/z conj_minus conj_times !conj_real.
rewrite (_ : times z _ = minus (times (real K (p * q)) z) (times (real K p) (times (real K q) z))); last ring.
by rewrite re_minus !re_scale; ring.
Qed.

Lemma augmented_products (J : finType) (A : 'I_d -> J -> K) U s t : unitary U ->
  row_products A =2 spectral U (fun j => s j ^ 2) ->
  row_products (augmented A t) =2 spectral U (fun j => s j ^ 2 + t ^ 2).
Proof.
move=> [_ complete] e i l.
have -> : row_products (augmented A t) i l = plus (row_products A i l)
    (total (fun m => times (times (real K t) (delta K i m)) (conj (times (real K t) (delta K l m))))).
  exact: big_sumType.
rewrite e (total_ext (g := fun m => times (delta K i m) (times (real K (t ^ 2)) (delta K l m)))) => [|m].
  rewrite total_delta delta_sym -complete -total_scale -total_plus.
  by apply: total_ext => j; rewrite real_plus /outer /column; ring.
by rewrite conj_times conj_real conj_delta /= Rmult_1_r real_times; ring.
Qed.

(* @proves HR-C4.4 augmented_values finite dimension, decompositions given *)
Theorem augmented_values (J : finType) (A : 'I_d -> J -> K) U V s s' t : 0 <= t ->
  singular_left A U s -> singular_left (augmented A t) V s' ->
  forall j, s' j = sqrt (s j ^ 2 + t ^ 2) /\ s' j <= s j + t /\ (s' j = s j + t <-> s j = 0 \/ t = 0).
Proof.
move=> t0 [U1 [s1 [s0 e]]] [V1 [s1' [s0' e']]] j; have products := augmented_products t U1 e.
have square : s' j ^ 2 = s j ^ 2 + t ^ 2.
  have down (r : 'I_d -> R) (c : R) : descending r -> (forall k, 0 <= r k) -> descending (fun k => r k ^ 2 + c).
    by move=> r1 r0 k l kl; apply: Rplus_le_compat_r; apply: pow_incr; split; [exact: r0 | exact: r1].
  have := @same_values V U (fun k => s' k ^ 2 + 0) (fun k => s k ^ 2 + t ^ 2) V1 U1 (down _ _ s1' s0') (down _ _ s1 s0).
  move=> same; rewrite -[LHS]Rplus_0_r; apply: same => i l; rewrite -products e'.
  by apply: total_ext => k; rewrite Rplus_0_r.
have sj := s0 j; have s'j := s0' j; have cross : 0 <= s j * t by exact: Rmult_le_pos.
split; first by rewrite -square sqrt_pow2.
split; first by apply: Rsqr_incr_0; rewrite ?Rsqr_pow2 ?square; nra.
split=> [eq|[zero|zero]].
- rewrite eq in square; have : s j * t = 0 by nra.
  by case/Rmult_integral; [left | right].
- by apply: Rsqr_inj; rewrite ?Rsqr_pow2 ?square; nra.
- by apply: Rsqr_inj; rewrite ?Rsqr_pow2 ?square; nra.
Qed.
End Forms.

(** Singular values of rectangular matrices: roots of the eigenvalues of A^* A. *)
Section Singular.
Variables (K : scalars) (I : finType) (d : nat).
Add Ring scalar_ring_of_singular_values : (ring_laws K).
Implicit Types (A B E : I -> 'I_d -> K) (V W : 'I_d -> 'I_d -> K) (s : 'I_d -> R) (x : 'I_d -> K).

Definition image A x i := total (fun j => times (A i j) (x j)).
Definition length {L : finType} (u : L -> K) := sqrt (norm2 u).
Definition column_products A j l := total (fun i => times (conj (A i j)) (A i l)).
(** [V] holds right singular vectors, [s] the singular values in descending order. *)
Definition singular A V s :=
  unitary V /\ descending s /\ (forall j, 0 <= s j) /\ column_products A =2 spectral V (fun j => s j ^ 2).
(** The spectral norm of [E] is at most [e]. *)
Definition norm_at_most E e := forall x, length (image E x) <= e * length x.

Lemma norm2_image A x : norm2 (image A x) = inner (column_products A) (outer x).
Proof.
rewrite -dot_self /dot /inner.
transitivity (re (total (fun j => total (fun l => times (column_products A j l) (conj (outer x j l))))));
  last by rewrite re_total; apply: sum_ext => j; exact: re_total.
congr re; transitivity (total (fun i => total (fun j => total (fun l =>
    times (times (conj (A i j)) (A i l)) (conj (outer x j l)))))).
  apply: total_ext => i; rewrite -[conj (image A x i)](esym (total_conj _)).
  rewrite -total_scale; apply: total_ext => j.
  rewrite (_ : times (image A x i) _ = times (conj (times (A i j) (x j))) (image A x i)); last ring.
  by rewrite -total_scale; apply: total_ext => l; rewrite /outer !conj_times conj_conj; ring.
rewrite total_swap; apply: total_ext => j; rewrite total_swap; apply: total_ext => l.
rewrite (_ : times (column_products A j l) _ = times (conj (outer x j l)) (column_products A j l)); last ring.
by rewrite -total_scale; apply: total_ext => i; ring.
Qed.

Lemma length_plus (L : finType) (u v : L -> K) : length (fun i => plus (u i) (v i)) <= length u + length v.
Proof.
have u0 := norm2_ge0 u; have v0 := norm2_ge0 v.
have cross : sum (fun i => re (times (u i) (conj (v i)))) <= length u * length v.
  rewrite /length -sqrt_mult //; apply: le_sqrt; first exact: Rmult_le_pos.
  have := @cauchy_schwarz_inner K L [finType of Datatypes.unit] (fun i _ => u i) (fun i _ => v i).
  have one (f : L -> Datatypes.unit -> R) : sum (fun i => sum (f i)) = sum (fun i => f i tt).
    by apply: sum_ext => i; rewrite (sum_one (i := tt)) // => -[].
  by rewrite /frobenius2 /inner !one.
rewrite -(sqrt_pow2 (length u + length v)); last by apply: Rplus_le_le_0_compat; exact: sqrt_pos.
apply: sqrt_le_1_alt; rewrite (_ : (length u + length v) ^ 2 = length u ^ 2 + length v ^ 2
  + 2 * (length u * length v)); last ring.
rewrite /length !sqrt_square //.
have -> : norm2 (fun i => plus (u i) (v i)) = norm2 u + norm2 v + 2 * sum (fun i => re (times (u i) (conj (v i)))).
  rewrite -sum_scale -!sum_add; apply: sum_ext => i; rewrite /abs2 conj_plus.
  rewrite (_ : times (plus _ _) _ = plus (plus (times (u i) (conj (u i))) (times (v i) (conj (v i))))
    (plus (times (u i) (conj (v i))) (times (v i) (conj (u i))))); last ring.
  have back : re (times (v i) (conj (u i))) = re (times (u i) (conj (v i))).
    by rewrite -re_conj conj_times conj_conj; congr re; ring.
  by rewrite !re_plus back; ring.
have := cross; rewrite /length; lra.
Qed.

Lemma moved_value A B V W s s' e (i : 'I_d) : singular A V s -> singular B W s' ->
  (forall x, length (image B x) <= length (image A x) + e * length x) -> s' i <= s i + e.
Proof.
move=> [V1 [s1 [s0 eA]]] [W1 [s1' [s0' eB]]] near; have le : (i + 0 <= i)%nat by rewrite addn0.
have [x [x0 [xV [_ xW]]]] := common_vector V V W le.
have down (r : 'I_d -> R) : descending r -> (forall k, 0 <= r k) -> descending (fun k => r k ^ 2).
  by move=> r1 r0 k l kl; apply: pow_incr; split; [exact: r0 | exact: r1].
have up := form_upper V1 (down _ s1 s0) xV; have low := form_lower W1 (down _ s1' s0') xW.
rewrite -(inner_ext _ eA) -norm2_image in up; rewrite -(inner_ext _ eB) -norm2_image in low.
have root r : 0 <= r -> sqrt (r ^ 2 * norm2 x) = r * length x.
  by move=> r0; rewrite sqrt_mult ?sqrt_pow2 //; [exact: pow2_ge_0 | lra].
have := sqrt_le_1_alt _ _ up; have := sqrt_le_1_alt _ _ low; rewrite !root // => low' up'.
apply: (Rmult_le_reg_r (length x)); first exact: sqrt_lt_R0.
have := near x; rewrite /length in low' up' *; lra.
Qed.

(* @proves HR-T2.9 singular_values finite dimension, decompositions given *)
Theorem singular_values A E V W s s' e : singular A V s -> singular (fun i j => plus (A i j) (E i j)) W s' ->
  norm_at_most E e -> forall i, Rabs (s' i - s i) <= e.
Proof.
move=> sA sB small i.
have linear x : image (fun i j => plus (A i j) (E i j)) x =1 fun i => plus (image A x i) (image E x i).
  by move=> l; rewrite -[RHS]total_plus; apply: total_ext => j; ring.
have same (u v : I -> K) : u =1 v -> length u = length v.
  by move=> uv; rewrite /length /norm2 (sum_ext (g := fun i => abs2 (v i))) // => l; rewrite uv.
have up : s' i <= s i + e.
  by apply: (moved_value i sA sB) => x; rewrite (same _ _ (linear x)); have := length_plus (image A x) (image E x);
    have := small x; lra.
have low : s i <= s' i + e.
  apply: (moved_value i sB sA) => x; pose back l := opposite (image E x l).
  have size : length back = length (image E x).
    by rewrite /length /norm2 (sum_ext (g := fun l => abs2 (image E x l))) // => l; exact: abs2_opposite.
  rewrite (same _ (fun l => plus (image (fun i j => plus (A i j) (E i j)) x l) (back l))) => [|l].
    by have := length_plus (image (fun i j => plus (A i j) (E i j)) x) back; have := small x; rewrite size; lra.
  by rewrite linear /back; ring.
by apply: Rabs_le; lra.
Qed.

(* @proves JXZ-L4 weyl finite dimension, decompositions given *)
Theorem weyl (U V' W' : 'I_d -> 'I_d -> K) (a b c : 'I_d -> R) (i j r : 'I_d) A E V W s s' e :
  (unitary U -> unitary V' -> unitary W' -> descending a -> descending b -> descending c ->
    spectral W' c =2 matrix_sum (spectral U a) (spectral V' b) -> (i + j <= r)%nat -> c r <= a i + b j) /\
  (singular A V s -> singular (fun i j => plus (A i j) (E i j)) W s' -> norm_at_most E e ->
    forall i, Rabs (s' i - s i) <= e).
Proof. by split; [exact: weyl_sum | exact: singular_values]. Qed.
End Singular.
