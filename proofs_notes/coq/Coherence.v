(** Real matrices: norms of products, coherence, and what a vector loses when large entries are set to zero.

    A matrix is a function of two indices of finite types, [square A] its squared Frobenius norm and [norm2 u] the squared
    norm of a vector; [row_times u A] is u^T A, [times A x] is A x.  That the spectral norm of A is at most [s] is said as
    [bounded A s]: |A x| <= s |x| for all x.  [leverage U i] is the squared norm of row [i].  Where the notes have a
    largest row, a theorem has the index [top] of one.  Beside proofs_notes/incoherence.md, and "Norms and rank" and
    "Submultiplicativity" of proofs_notes/perturbation.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Definition norm2 {I : finType} (u : I -> R) := sum (fun i => u i ^ 2).
Definition inner {I : finType} (u v : I -> R) := sum (fun i => u i * v i).
Definition square {I J : finType} (A : I -> J -> R) := sum (fun i => norm2 (A i)).
Definition times {I J : finType} (A : I -> J -> R) (x : J -> R) i := sum (fun j => A i j * x j).
Definition row_times {I J : finType} (u : I -> R) (A : I -> J -> R) j := sum (fun i => u i * A i j).
Definition product {I J L : finType} (A : I -> J -> R) (B : J -> L -> R) i l := sum (fun j => A i j * B j l).
Definition bounded {I J : finType} (A : I -> J -> R) s := forall x, norm2 (times A x) <= s ^ 2 * norm2 x.
Definition orthonormal {I J : finType} (U : I -> J -> R) :=
  forall j k, sum (fun i => U i j * U i k) = if j == k then 1 else 0.
Definition leverage {I J : finType} (U : I -> J -> R) i := norm2 (U i).

Lemma norm2_ge0 (I : finType) (u : I -> R) : 0 <= norm2 u.
Proof. by apply: sum_ge0 => i; exact: pow2_ge_0. Qed.

Lemma square_ge0 (I J : finType) (A : I -> J -> R) : 0 <= square A.
Proof. by apply: sum_ge0 => i; exact: norm2_ge0. Qed.

Lemma norm2_inner (I : finType) (u : I -> R) : norm2 u = inner u u.
Proof. by apply: sum_ext => i; ring. Qed.

Lemma square_columns (I J : finType) (A : I -> J -> R) : square A = sum (fun j => norm2 (fun i => A i j)).
Proof. exact: sum_swap. Qed.

Lemma le_of_squares x y : 0 <= y -> x ^ 2 <= y ^ 2 -> x <= y.
Proof. by move=> y0 le; apply: Rsqr_incr_0_var => //; rewrite !Rsqr_pow2. Qed.

Lemma sqrt_square x : 0 <= x -> sqrt x ^ 2 = x.
Proof. by move=> x0; rewrite /= Rmult_1_r sqrt_sqrt. Qed.

(** Norms of products. *)
Section Norms.
Variables I J L : finType.
Implicit Types (A : I -> J -> R) (B : J -> L -> R) (s : R).

Lemma times_le A x : norm2 (times A x) <= square A * norm2 x.
Proof.
rewrite Rmult_comm -sum_scale; apply: sum_le => i; rewrite Rmult_comm.
exact: (cauchy_schwarz (A i) x).
Qed.

Lemma product_left A B s : bounded A s -> square (product A B) <= s ^ 2 * square B.
Proof.
by move=> As; rewrite !square_columns -sum_scale; apply: sum_le => l; exact: (As (fun j => B j l)).
Qed.

Lemma bounded_transposed B s y : bounded B s -> norm2 (row_times y B) <= s ^ 2 * norm2 y.
Proof.
move=> Bs; pose z := row_times y B; rewrite -/z.
have z_inner : norm2 z = inner y (times B z).
  rewrite norm2_inner /inner /z {1}/row_times /times.
  transitivity (sum (fun l => sum (fun j => y j * (B j l * row_times y B l)))).
    by apply: sum_ext => l; rewrite Rmult_comm -sum_scale; apply: sum_ext => j; ring.
  by rewrite sum_swap; apply: sum_ext => j; rewrite sum_scale.
have := cauchy_schwarz y (times B z); rewrite -/(inner y (times B z)) -z_inner -/(norm2 y) -/(norm2 (times B z)) => cs.
case: (norm2_ge0 z) => [z0|<-]; last by apply: Rmult_le_pos; [exact: pow2_ge_0 | exact: norm2_ge0].
apply: (Rmult_le_reg_r (norm2 z)) => //.
have := Rmult_le_compat_l _ _ _ (norm2_ge0 y) (Bs z); rewrite /= in cs; lra.
Qed.

(* @proves HR-F2.8 submultiplicative real *)
Theorem submultiplicative A B :
  (forall s, 0 <= s -> bounded A s -> sqrt (square (product A B)) <= s * sqrt (square B)) /\
  (forall s, 0 <= s -> bounded B s -> sqrt (square (product A B)) <= sqrt (square A) * s).
Proof.
have root s x y : 0 <= s -> 0 <= y -> x <= s ^ 2 * y -> sqrt x <= s * sqrt y.
  move=> s0 y0 le; rewrite -{1}(sqrt_pow2 s s0) -sqrt_mult //; [exact: sqrt_le_1_alt | exact: pow2_ge_0].
split=> s s0 bound; first by apply: root => //; [exact: square_ge0 | exact: product_left].
rewrite Rmult_comm; apply: root => //; first exact: square_ge0.
rewrite -sum_scale; apply: sum_le => i; exact: (bounded_transposed (A i) bound).
Qed.

(** A matrix of rank at most the number of columns of [Q] is A = A Q Q^T for some [Q] with orthonormal columns. *)
(* @proves HR-F2.7 spectral_and_frobenius real, decompositions given *)
Theorem spectral_and_frobenius A (Q : J -> L -> R) s :
  orthonormal Q -> (forall i j, A i j = sum (fun l => product A Q i l * Q j l)) -> 0 <= s -> bounded A s ->
  bounded A (sqrt (square A)) /\ sqrt (square A) <= sqrt (INR #|L|) * s.
Proof.
move=> Q1 rank s0 As; split=> [x|].
  by rewrite sqrt_square; [exact: times_le | exact: square_ge0].
have same : square A = square (product A Q).
  rewrite /square; apply: sum_ext => i; rewrite /norm2.
  transitivity (sum (fun j => sum (fun l => product A Q i l * (A i j * Q j l)))).
    by apply: sum_ext => j; rewrite [LHS]/= Rmult_1_r {2}(rank i j) -sum_scale; apply: sum_ext => l; ring.
  by rewrite sum_swap; apply: sum_ext => l; rewrite sum_scale /product /= Rmult_1_r.
rewrite same -(sqrt_pow2 s s0) -sqrt_mult; [|exact: pos_INR|exact: pow2_ge_0].
apply: sqrt_le_1_alt; rewrite square_columns -sum_const; apply: sum_le => l.
have := As (fun j => Q j l); rewrite (_ : norm2 (fun j => Q j l) = 1) ?Rmult_1_r //.
by rewrite norm2_inner /inner Q1 eqxx.
Qed.
End Norms.

(** Coherence: rows of norm at most [rho], in terms of C the bound rho^2 = C |A|_F^2 / m. *)
Section Sparse.
Variables (I J : finType) (A : I -> J -> R) (rho C : R).
Hypothesis rho_ge0 : 0 <= rho.
Hypothesis rows : forall i, norm2 (A i) <= rho ^ 2.
Hypothesis C_ge0 : 0 <= C.
Hypothesis coherent : rho ^ 2 = C / INR #|I| * square A.
Hypothesis some_row : 0 < INR #|I|.
Implicit Types u : I -> R.

Definition l1 u := sum (fun i => Rabs (u i)).
Definition nonzero u := sum (fun i => if less 0 (Rabs (u i)) then 1 else 0).

Lemma l1_ge0 u : 0 <= l1 u.
Proof. by apply: sum_ge0 => i; exact: Rabs_pos. Qed.

Lemma row_times_l1 u : norm2 (row_times u A) <= (l1 u * rho) ^ 2.
Proof.
have each j : row_times u A j ^ 2 <= l1 u * sum (fun i => Rabs (u i) * A i j ^ 2).
  have root i := sqrt_square (Rabs_pos (u i)).
  have := cauchy_schwarz (fun i => sqrt (Rabs (u i))) (fun i => sqrt (Rabs (u i)) * Rabs (A i j)).
  rewrite (sum_ext (f := fun i => sqrt (Rabs (u i)) ^ 2) (g := fun i => Rabs (u i))) // -/(l1 u).
  rewrite (sum_ext (g := fun i => Rabs (u i * A i j))) => [|i]; last first.
    by rewrite Rabs_mult -Rmult_assoc sqrt_sqrt //; exact: Rabs_pos.
  rewrite (sum_ext (f := fun i => (sqrt (Rabs (u i)) * Rabs (A i j)) ^ 2) (g :=
    fun i => Rabs (u i) * A i j ^ 2)) => [|i];
    last by rewrite Rpow_mult_distr root pow2_abs.
  apply: Rle_trans; rewrite -(pow2_abs (row_times u A j)); apply: pow_incr; split; [exact: Rabs_pos | exact: sum_abs].
apply: (Rle_trans _ (l1 u * sum (fun i => Rabs (u i) * norm2 (A i)))).
  rewrite (_ : sum (fun i => Rabs (u i) * norm2 (A i)) = sum (fun j => sum (fun i => Rabs (u i) * A i j ^ 2))).
    by rewrite -sum_scale; apply: sum_le.
  by rewrite sum_swap; apply: sum_ext => i; rewrite sum_scale.
rewrite (_ : (l1 u * rho) ^ 2 = l1 u * (rho ^ 2 * l1 u)); last ring.
apply: Rmult_le_compat_l; first exact: l1_ge0.
by rewrite -sum_scale; apply: sum_le => i; rewrite Rmult_comm; apply: Rmult_le_compat_r;
  [exact: Rabs_pos | exact: rows].
Qed.

Lemma l1_sparse u : l1 u ^ 2 <= nonzero u * norm2 u.
Proof.
have := cauchy_schwarz (fun i => if less 0 (Rabs (u i)) then 1 else 0) (fun i => Rabs (u i)).
rewrite (sum_ext (f := fun i => (if less 0 (Rabs (u i)) then 1 else 0) ^ 2) (g :=
  fun i => if less 0 (Rabs (u i)) then 1 else 0)) => [|i];
  last by case: less => /=; ring.
rewrite (sum_ext (f := fun i => Rabs (u i) ^ 2) (g := fun i => u i ^ 2)) => [|i]; last exact: pow2_abs.
rewrite (sum_ext (g := fun i => Rabs (u i))) // => i.
by case: lessP => [_|small]; [ring | have := Rabs_pos (u i); lra].
Qed.

Lemma rho_coherence : rho = sqrt (C / INR #|I|) * sqrt (square A).
Proof.
rewrite -sqrt_mult; [|by apply: le_div; lra|exact: square_ge0].
by rewrite -coherent sqrt_pow2.
Qed.

(* @proves HR-L5.2 sparse_vectors real *)
Theorem sparse_vectors u s : nonzero u <= s ->
  sqrt (norm2 (row_times u A)) <= l1 u * rho /\
  l1 u * rho <= sqrt (s * C / INR #|I|) * sqrt (norm2 u) * sqrt (square A).
Proof.
move=> sparse; have l0 := l1_ge0 u.
have s0 : 0 <= s by apply: Rle_trans sparse; apply: sum_ge0 => i; case: less => /=; lra.
split.
  by rewrite -(sqrt_pow2 (l1 u * rho)); [apply: sqrt_le_1_alt; exact: row_times_l1 | exact: Rmult_le_pos].
rewrite rho_coherence (_ : s * C / INR #|I| = s * (C / INR #|I|)); last by field; lra.
rewrite sqrt_mult //; last by apply: le_div; lra.
have : l1 u <= sqrt s * sqrt (norm2 u).
  apply: le_of_squares; first by apply: Rmult_le_pos; exact: sqrt_pos.
  rewrite Rpow_mult_distr !sqrt_square //; last exact: norm2_ge0.
  by apply: Rle_trans (l1_sparse u) _; apply: Rmult_le_compat_r => //; exact: norm2_ge0.
move=> le; have := Rmult_le_compat_r _ _ _ (Rmult_le_pos _ _ (sqrt_pos (C / INR #|I|)) (sqrt_pos (square A))) le; lra.
Qed.

(** The entries that pruning at level [alpha] removes. *)
Definition removed alpha u i := if less alpha (Rabs (u i)) then u i else 0.

(* @proves HR-L5.3 pruned_vector real *)
Theorem pruned_vector u alpha : 0 < alpha ->
  nonzero (removed alpha u) <= norm2 u / alpha ^ 2 /\
  sqrt (norm2 (row_times (removed alpha u) A)) <= norm2 u / alpha * rho /\
  norm2 u / alpha * rho = sqrt (C / (alpha ^ 2 * INR #|I|)) * norm2 u * sqrt (square A).
Proof.
move=> a0; have a2 : 0 < alpha ^ 2 by apply: pow_lt.
have large i : alpha < Rabs (u i) -> alpha * Rabs (u i) <= u i ^ 2.
  by move=> lt; rewrite -pow2_abs /= Rmult_1_r; apply: Rmult_le_compat_r; [exact: Rabs_pos | lra].
split.
  apply: le_div => //; rewrite Rmult_comm -sum_scale; apply: sum_le => i; rewrite /removed.
  have square0 := pow2_ge_0 (u i); case: (lessP alpha) => [lt|_]; last first.
    by case: lessP => [|_]; rewrite ?Rabs_R0; lra.
  case: lessP => _; last lra.
  by rewrite Rmult_1_r -(pow2_abs (u i)); apply: (pow_incr _ _ 2); lra.
split.
  rewrite -(sqrt_pow2 (norm2 u / alpha * rho)); last first.
    by apply: Rmult_le_pos => //; apply: le_div => //; rewrite Rmult_0_l; exact: norm2_ge0.
  apply: sqrt_le_1_alt; apply: Rle_trans (row_times_l1 _) _; apply: pow_incr; split.
    by apply: Rmult_le_pos => //; exact: l1_ge0.
  apply: Rmult_le_compat_r => //; apply: le_div => //; rewrite /l1 Rmult_comm -sum_scale; apply: sum_le => i.
  rewrite /removed; case: lessP => [/large //|_]; rewrite Rabs_R0 Rmult_0_r; exact: pow2_ge_0.
rewrite rho_coherence (_ : C / (alpha ^ 2 * INR #|I|) = C / INR #|I| * (/ alpha) ^ 2); last by field; lra.
have i0 : 0 < / alpha by exact: Rinv_0_lt_compat.
rewrite sqrt_mult; [|by apply: le_div; lra|exact: pow2_ge_0].
by rewrite sqrt_pow2; [rewrite /Rdiv; ring | lra].
Qed.
End Sparse.

(** Coherence of a subspace: [U] has orthonormal columns, m = #|I| rows and r = #|J| columns; row [top] is largest. *)
Section Subspace.
Variables (I J : finType) (U : I -> J -> R) (top : I).
Hypothesis U1 : orthonormal U.
Hypothesis largest : forall i, leverage U i <= leverage U top.
Hypothesis some_column : 0 < INR #|J|.

Definition mu0 := INR #|I| / INR #|J| * leverage U top.

Lemma some_row : 0 < INR #|I|.
Proof. by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists top. Qed.

Lemma leverages : sum (leverage U) = INR #|J|.
Proof.
rewrite -[RHS]Rmult_1_r -sum_const [LHS]sum_swap; apply: sum_ext => j.
by rewrite (sum_ext (g := fun i => U i j * U i j)) ?U1 ?eqxx // => i; ring.
Qed.

(** The norm of U c is that of c. *)
Lemma isometry c : norm2 (times U c) = norm2 c.
Proof.
rewrite norm2_inner /inner.
transitivity (sum (fun j => sum (fun k => c j * c k * sum (fun i => U i j * U i k)))).
  transitivity (sum (fun i => sum (fun j => sum (fun k => c j * c k * (U i j * U i k))))).
    apply: sum_ext => i; rewrite /times sum_mult; apply: sum_ext => j; apply: sum_ext => k; ring.
  rewrite sum_swap; apply: sum_ext => j; rewrite sum_swap; apply: sum_ext => k; exact: sum_scale.
apply: sum_ext => j; rewrite (sum_one (i := j)) => [|k /nesym /eqP /negPf jk]; first by rewrite U1 eqxx; ring.
by rewrite U1 jk Rmult_0_r.
Qed.

Lemma leverage_le1 i : leverage U i <= 1.
Proof.
have : (times U (U i) i) ^ 2 <= norm2 (times U (U i)) by apply: (sum_term i) => k; exact: pow2_ge_0.
rewrite isometry (_ : times U (U i) i = leverage U i); last by apply: sum_ext => j; ring.
rewrite -/(leverage U i); have l0 : 0 <= leverage U i by exact: norm2_ge0.
move: (leverage U i) l0 => l [l0|<-] le; last lra.
by apply: (Rmult_le_reg_l l) => //; rewrite /= in le; lra.
Qed.

(* @proves HR-F5.6 range_of_coherence real *)
Theorem range_of_coherence : 1 <= mu0 <= INR #|I| / INR #|J|.
Proof.
have m0 := some_row; rewrite /mu0; split; last first.
  rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l; last exact: leverage_le1.
  by apply: le_div; lra.
have : INR #|J| <= INR #|I| * leverage U top by rewrite -leverages -sum_const; apply: sum_le.
move=> le; apply: (Rmult_le_reg_l (INR #|J|)) => //.
by rewrite (_ : INR #|J| * (INR #|I| / INR #|J| * leverage U top) = INR #|I| * leverage U top); [lra | field; lra].
Qed.

(* @proves HR-L5.7 entries_of_a_range real *)
Theorem entries_of_a_range :
  (forall c i, norm2 (times U c) = 1 -> times U c i ^ 2 <= INR #|J| / INR #|I| * mu0) /\
  (exists c, norm2 (times U c) = 1 /\ times U c top ^ 2 = INR #|J| / INR #|I| * mu0).
Proof.
have m0 := some_row; have -> : INR #|J| / INR #|I| * mu0 = leverage U top by rewrite /mu0; field; lra.
split=> [c i|].
  rewrite isometry => c1; apply: Rle_trans (largest i); rewrite -[leverage U i]Rmult_1_r -c1.
  exact: (cauchy_schwarz (U i) c).
have [mu1 _] := range_of_coherence.
have t0 : 0 < leverage U top.
  apply: (Rmult_lt_reg_l (INR #|I| / INR #|J|)); first exact: Rdiv_lt_0_compat.
  by rewrite Rmult_0_r; rewrite /mu0 in mu1; lra.
pose c j := U top j / sqrt (leverage U top); exists c; have s0 := sqrt_lt_R0 _ t0.
have s2 := sqrt_sqrt (leverage U top) (Rlt_le _ _ t0).
have c1 : norm2 c = 1.
  rewrite /norm2 (sum_ext (g := fun j => / leverage U top * U top j ^ 2)) => [|j].
    by rewrite sum_scale -/(norm2 (U top)) -/(leverage U top); field; lra.
  by rewrite /c -{2}s2; field; lra.
rewrite isometry; split=> //.
rewrite (_ : times U c top = leverage U top / sqrt (leverage U top)).
  by rewrite -{1 3}s2; field; lra.
rewrite /times /Rdiv [RHS]Rmult_comm -sum_scale; apply: sum_ext => j; rewrite /c; field; lra.
Qed.

(** A = U diag(sigma) V^T of rank r; its coherence is C if [row] is a largest row of A. *)
(* @proves HR-L5.13 matrix_coherence real *)
Theorem matrix_coherence (L : finType) (V : L -> J -> R) (sigma : J -> R) (row : I) (entry : I * J) C :
  orthonormal V -> (forall i j, U i j ^ 2 <= U entry.1 entry.2 ^ 2) ->
  let A i l := sum (fun j => U i j * (sigma j * V l j)) in
  0 < square A -> norm2 (A row) = C / INR #|I| * square A ->
  C <= INR #|I| * U entry.1 entry.2 ^ 2 /\ INR #|I| * U entry.1 entry.2 ^ 2 <= INR #|J| * mu0.
Proof.
move=> V1 biggest A A0 coherent; have m0 := some_row.
have rows i : norm2 (A i) = sum (fun j => (U i j * sigma j) ^ 2).
  rewrite norm2_inner /inner.
  transitivity (sum (fun j => sum (fun k => (U i j * sigma j) * (U i k * sigma k) * sum (fun l => V l j * V l k)))).
    transitivity (sum (fun l => sum (fun j => sum (fun k => (U i j * sigma j) * (U i k * sigma k) * (V l j * V l k))))).
      apply: sum_ext => l; rewrite /A sum_mult; apply: sum_ext => j; apply: sum_ext => k; ring.
    rewrite sum_swap; apply: sum_ext => j; rewrite sum_swap; apply: sum_ext => k; exact: sum_scale.
  apply: sum_ext => j; rewrite (sum_one (i := j)) => [|k /nesym /eqP /negPf jk]; first by rewrite V1 eqxx; ring.
  by rewrite V1 jk Rmult_0_r.
have whole : square A = sum (fun j => sigma j ^ 2).
  rewrite /square (sum_ext rows) sum_swap; apply: sum_ext => j.
  rewrite (sum_ext (g := fun i => sigma j ^ 2 * (U i j * U i j))) => [|i]; last ring.
  by rewrite sum_scale U1 eqxx Rmult_1_r.
split; last first.
  have -> : INR #|J| * mu0 = INR #|I| * leverage U top by rewrite /mu0; field; lra.
  apply: Rmult_le_compat_l; first lra; apply: Rle_trans (largest entry.1).
  by apply: (sum_term entry.2) => j; exact: pow2_ge_0.
have : norm2 (A row) <= U entry.1 entry.2 ^ 2 * square A.
  rewrite rows whole -sum_scale; apply: sum_le => j; rewrite Rpow_mult_distr.
  by apply: Rmult_le_compat_r; [exact: pow2_ge_0 | exact: biggest].
rewrite coherent => le; apply: (Rmult_le_reg_r (square A / INR #|I|)); first exact: Rdiv_lt_0_compat.
rewrite (_ : C * (square A / INR #|I|) = C / INR #|I| * square A); last by field; lra.
by rewrite (_ : INR #|I| * _ * _ = U entry.1 entry.2 ^ 2 * square A) //; field; lra.
Qed.
End Subspace.

(** [A | s 1] has the columns of [A] and those of s times the identity; P = Q Q^T has rank r = #|J|. *)
(* @proves HR-C4.3 augmented_residual real *)
Theorem augmented_residual (I J L : finType) (Q : I -> J -> R) (A : I -> L -> R) (s : R) : orthonormal Q ->
  let residual (N : finType) (B : I -> N -> R) i n := B i n - sum (fun j => Q i j * row_times (fun k => Q k j) B n) in
  let augmented i (n : L + I) := match n with inl l => A i l | inr k => if i == k then s else 0 end in
  square (residual _ augmented) = square (residual _ A) + s ^ 2 * (INR #|I| - INR #|J|) /\
  sqrt (square (residual _ A)) <= sqrt (square (residual _ augmented)).
Proof.
move=> Q1 residual augmented.
have one_column k : norm2 (fun i => residual _ augmented i (inr k)) = s ^ 2 * (1 - leverage Q k).
  have entry i : residual _ augmented i (inr k) = s * ((if i == k then 1 else 0) - sum (fun j => Q i j * Q k j)).
    rewrite /residual /augmented Rmult_minus_distr_l -sum_scale; congr (_ - _).
      by case: (i == k); ring.
    apply: sum_ext => j; rewrite /row_times (sum_one (i := k)) => [|l /eqP /negPf lk]; first by rewrite eqxx; ring.
    by rewrite lk; ring.
  rewrite /norm2 (sum_ext (g := fun i => s ^ 2 * ((if i == k then 1 - 2 * sum (fun j => Q i j * Q k j) else 0)
    + times Q (Q k) i ^ 2))) => [|i].
    rewrite sum_scale sum_add; congr (_ * _).
    rewrite (sum_one (i := k)) => [|i /eqP /negPf ->] //; rewrite eqxx -/(norm2 (times Q (Q k))) isometry //.
    rewrite (_ : sum (fun j => Q k j * Q k j) = leverage Q k); first by rewrite /leverage; ring.
    by rewrite /leverage norm2_inner.
  by rewrite entry /times; case: (i == k); ring.
have identity : square (residual _ augmented) = square (residual _ A) + s ^ 2 * (INR #|I| - INR #|J|).
  rewrite !square_columns sum_sumtype; congr (_ + _).
  rewrite (sum_ext one_column) sum_scale sum_sub sum_const Rmult_1_r leverages //.
split=> //; apply: sqrt_le_1_alt; rewrite identity.
have : INR #|J| <= INR #|I|.
  by rewrite -(leverages Q1) -[INR #|I|]Rmult_1_r -sum_const; apply: sum_le => i; exact: leverage_le1.
move=> le; have : 0 <= s ^ 2 * (INR #|I| - INR #|J|) by apply: Rmult_le_pos; [exact: pow2_ge_0 | lra].
lra.
Qed.
