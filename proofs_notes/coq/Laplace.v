(** Laplace noise on finitely many numbers, and the sensitivity of a covariance matrix.

    [density b q z] is the density at [z] of the numbers [q] with independent Laplace noise of scale [b > 0].  An event is
    a bit of each output, its probability an integral of the density over it.  Of the integral only two properties are
    used, and only for functions between 0 and a multiple of a density, so that [integral] may be any functional that has
    them; [outer_integral] is one that gives each multiple of a density its mass.
    Rows are functions [I -> R], a data set [X : N -> I -> R] has the finite types [N] of rows and [I] of coordinates.
    Beside "Laplace mechanism" and "Laplace input perturbation is private" of proofs_notes/privacy.md, and the sections
    on the covariance in l1 of proofs_notes/sensitivity.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
From Coquelicot Require Rbar Lub.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Lemma Rmult_associative : associative Rmult. Proof. by move=> x y z; ring. Qed.
Canonical Rmult_monoid := Monoid.Law Rmult_associative Rmult_1_l Rmult_1_r.
Canonical Rmult_commutative_monoid := Monoid.ComLaw Rmult_comm.
Definition product {I : finType} (f : I -> R) : R := \big[Rmult/1]_i f i.

Lemma product_exp (I : finType) (f : I -> R) c : product (fun i => exp (f i) * c) = exp (sum f) * c ^ #|I|.
Proof.
rewrite /product big_split /=; congr (_ * _); last first.
  by rewrite big_const; elim: #|I| => [|n IH] //=; rewrite IH.
by rewrite /sum (big_morph exp exp_plus exp_0).
Qed.

Section Noise.
Variables (I : finType) (b : R).
Hypothesis b_gt0 : 0 < b.
Implicit Types q z : I -> R.

Definition distance q z := sum (fun i => Rabs (q i - z i)).
Definition density q z := product (fun i => exp (- (Rabs (z i - q i) / b)) * (1 / (2 * b))).

Lemma density_exp q z : density q z = exp (- (distance z q / b)) * (1 / (2 * b)) ^ #|I|.
Proof.
rewrite /density product_exp; congr (exp _ * _); rewrite sum_opp; congr (- _).
by rewrite /Rdiv [RHS]Rmult_comm -sum_scale; apply: sum_ext => i; ring.
Qed.

Lemma density_gt0 q z : 0 < density q z.
Proof.
rewrite density_exp; apply: Rmult_lt_0_compat; first exact: exp_pos.
by apply: pow_lt; apply: Rdiv_lt_0_compat; lra.
Qed.

Lemma loss_formula q q' z : ln (density q z / density q' z) = (distance z q' - distance z q) / b.
Proof.
have c0 : 0 < (1 / (2 * b)) ^ #|I| by apply: pow_lt; apply: Rdiv_lt_0_compat; lra.
rewrite ln_div; try exact: density_gt0.
by rewrite !density_exp !ln_mult ?ln_exp; try exact: exp_pos; try exact: c0; field; lra.
Qed.

Lemma distance_sym q z : distance q z = distance z q.
Proof. by apply: sum_ext => i; rewrite Rabs_minus_sym. Qed.

Lemma distance_triangle q q' z : distance q z <= distance q q' + distance q' z.
Proof.
rewrite -sum_add; apply: sum_le => i.
by rewrite (_ : q i - z i = (q i - q' i) + (q' i - z i)); [exact: Rabs_triang | ring].
Qed.

Lemma loss_bound q q' z : Rabs (ln (density q z / density q' z)) <= distance q q' / b.
Proof.
rewrite loss_formula; have b1 := Rinv_0_lt_compat b b_gt0; apply: Rabs_le.
have := distance_triangle z q q'; have := distance_triangle z q' q; rewrite (distance_sym q' q) => one other.
by split; rewrite /Rdiv ?Ropp_mult_distr_l; apply: Rmult_le_compat_r; lra.
Qed.

Lemma loss_at_centre q q' : ln (density q q / density q' q) = distance q q' / b.
Proof.
rewrite loss_formula (_ : distance q q = 0); first by congr (_ / _); ring.
by rewrite -(sum_zero I); apply: sum_ext => i; rewrite Rminus_eq_0 Rabs_R0.
Qed.

Lemma density_ratio q q' z epsilon : distance q q' <= b * epsilon -> density q z <= exp epsilon * density q' z.
Proof.
move=> near; have d0 := density_gt0 q z; have d1 := density_gt0 q' z.
rewrite -[density q z]exp_ln // -{1}[density q' z]exp_ln // -exp_plus; apply: exp_le.
have := loss_bound q q' z; have := Rle_abs (ln (density q z / density q' z)); rewrite ln_div // => le1 le2.
have : distance q q' / b <= epsilon by apply: div_le => //; rewrite Rmult_comm.
lra.
Qed.

(** What an integral must do for functions between 0 and a multiple of a density. *)
Definition dominated (f : (I -> R) -> R) := exists q c, forall z, 0 <= f z <= c * density q z.
Definition integral_like (integral : ((I -> R) -> R) -> R) :=
  (forall f g, dominated f -> dominated g -> (forall z, f z <= g z) -> integral f <= integral g) /\
  (forall c f, 0 <= c -> dominated f -> integral (fun z => c * f z) = c * integral f).

Definition part (event : (I -> R) -> bool) q z := if event z then density q z else 0.
Definition probability (integral : ((I -> R) -> R) -> R) q event := integral (part event q).

Lemma part_dominated event q c : 0 <= c -> dominated (fun z => c * part event q z).
Proof.
move=> c0; exists q, c => z; have d0 := density_gt0 q z.
by rewrite /part; case: (event z); split; rewrite ?Rmult_0_r; try apply: Rmult_le_pos; lra.
Qed.

Lemma part_dominated_once event q : dominated (part event q).
Proof. by have [p [c b1]] := part_dominated event q Rle_0_1; exists p, c => z; have := b1 z; rewrite Rmult_1_l. Qed.

Lemma event_ratio integral q q' epsilon event : integral_like integral -> distance q q' <= b * epsilon ->
  probability integral q event <= exp epsilon * probability integral q' event.
Proof.
move=> [monotone homogeneous] near; rewrite /probability -homogeneous; [|exact: exp_ge0|exact: part_dominated_once].
apply: monotone => [||z]; [exact: part_dominated_once | apply: part_dominated; exact: exp_ge0 |].
by rewrite /part; case: (event z); [exact: density_ratio | lra].
Qed.

(** The integral of a multiple of a density is its mass; the smallest mass above a function is such a functional. *)
Definition has_mass f c := exists q, forall z, f z <= c * density q z.
Definition outer_integral f := Rbar.real (Lub.Glb_Rbar (has_mass f)).

Lemma above_ge0 f c : dominated f -> has_mass f c -> 0 <= c.
Proof.
move=> [p [e bound]] [q le]; have [f0 _] := bound q; have := le q; have d0 := density_gt0 q q => fc.
apply: (Rmult_le_reg_r (density q q)) => //; lra.
Qed.

Lemma outer_glb f : dominated f ->
  (forall c, has_mass f c -> outer_integral f <= c) /\ (forall x, (forall c, has_mass f c -> x <= c) -> x <= outer_integral f).
Proof.
move=> dom; have [lower greatest] := Lub.Glb_Rbar_correct (has_mass f); have [p [e bound]] := dom.
have some : has_mass f e by exists p => z; case: (bound z).
have := lower e some; have := greatest (Rbar.Finite 0) (fun c a => above_ge0 dom a).
rewrite /outer_integral; move: lower greatest; case: (Lub.Glb_Rbar (has_mass f)) => //= x lower greatest _ _.
by split=> [c /lower //|y all]; exact: (greatest (Rbar.Finite y) all).
Qed.

Lemma scaled_dominated c f : 0 <= c -> dominated f -> dominated (fun z => c * f z).
Proof.
move=> c0 [q [e bound]]; exists q, (c * e) => z; have [f0 fe] := bound z; split; first exact: Rmult_le_pos.
by rewrite Rmult_assoc; apply: Rmult_le_compat_l.
Qed.

(** The notion is inhabited, and by a functional that gives densities the mass 1. *)
Theorem outer_integral_like : integral_like outer_integral /\ forall q, outer_integral (density q) = 1.
Proof.
split; last first.
  move=> q; have dom : dominated (density q) by exists q, 1 => z; have := density_gt0 q z; lra.
  have [lower greatest] := outer_glb dom; apply: Rle_antisym; first by apply: lower; exists q => z; lra.
  apply: greatest => c [p le]; have := le p; have d0 := density_gt0 p p; have := density_gt0 q q.
  move: (le q); rewrite !density_exp (_ : distance q q = 0); last first.
    by rewrite -(sum_zero I); apply: sum_ext => i; rewrite Rminus_eq_0 Rabs_R0.
  have k0 : 0 < (1 / (2 * b)) ^ #|I| by apply: pow_lt; apply: Rdiv_lt_0_compat; lra.
  rewrite (_ : - (0 / b) = 0) ?exp_0; last by field; lra.
  move=> le1 _ _; have far : exp (- (distance q p / b)) <= 1.
    rewrite -exp_0; apply: exp_le; have : 0 <= distance q p / b; last lra.
    by apply: le_div => //; rewrite Rmult_0_l; apply: sum_ge0 => i; exact: Rabs_pos.
  have c0 : 0 <= c by apply: (above_ge0 dom); exists p.
  have := Rmult_le_compat_l _ _ _ c0 far => ce; apply: (Rmult_le_reg_r ((1 / (2 * b)) ^ #|I|)) => //.
  apply: Rle_trans le1 _; rewrite -Rmult_assoc; apply: Rmult_le_compat_r; lra.
split=> [f g fd gd le|c f c0 fd].
  have [lower _] := outer_glb fd; have [_ greatest] := outer_glb gd.
  apply: greatest => c [q above_g]; apply: lower; exists q => z; have := above_g z; have := le z; lra.
have [lower greatest] := outer_glb fd; have cfd := scaled_dominated c0 fd; have [lower' greatest'] := outer_glb cfd.
case: c0 => [c0|c0]; last first.
  subst c; rewrite Rmult_0_l; apply: Rle_antisym.
    by apply: lower'; have [q _] := fd; exists q => z; lra.
  by apply: greatest' => e; exact: above_ge0.
apply: Rle_antisym.
  set x := outer_integral (fun z => c * f z) in lower' *; have : x / c <= outer_integral f.
    apply: greatest => e [q le]; apply: div_le => //; apply: lower'; exists q => z.
    by have := Rmult_le_compat_l c _ _ (Rlt_le _ _ c0) (le z); lra.
  by move=> le; have := Rmult_le_compat_l c _ _ (Rlt_le _ _ c0) le; rewrite (_ : c * (x / c) = x) //; field; lra.
apply: greatest' => e [q le]; have : outer_integral f <= e / c.
  apply: lower; exists q => z; rewrite (_ : e / c * density q z = (e * density q z) / c); last by field; lra.
  by apply: le_div => //; rewrite Rmult_comm.
by move=> le'; have := Rmult_le_compat_l c _ _ (Rlt_le _ _ c0) le'; rewrite (_ : c * (e / c) = e) //; field; lra.
Qed.
End Noise.

(* @proves MWKTV-T5.2 laplace_mechanism real, any integral *)
(* @proves JXZ-T1 laplace_mechanism real, any integral *)
Theorem laplace_mechanism (I : finType) (b : R) (q q' : I -> R) : 0 < b ->
  (forall z, Rabs (ln (density b q z / density b q' z)) <= distance q q' / b) /\
  (exists z, ln (density b q z / density b q' z) = distance q q' / b) /\
  (forall epsilon, distance q q' <= b * epsilon <-> forall z, density b q z <= exp epsilon * density b q' z) /\
  (forall integral event epsilon, integral_like b integral -> distance q q' <= b * epsilon ->
    probability b integral q event <= exp epsilon * probability b integral q' event).
Proof.
move=> b0; split; first exact: loss_bound.
split; first by exists q; exact: loss_at_centre.
split=> [epsilon|integral event epsilon like]; last exact: event_ratio.
split=> [near z|all]; first exact: density_ratio.
have := ln_le (density_gt0 b0 q q) (all q); rewrite ln_mult; [|exact: exp_pos|exact: density_gt0].
rewrite ln_exp => le; have := loss_at_centre b0 q q'.
rewrite ln_div; try exact: density_gt0.
move=> e; have : distance q q' / b <= epsilon by lra.
move=> /(Rmult_le_compat_l b _ _ (Rlt_le _ _ b0)); rewrite (_ : b * (distance q q' / b) = distance q q') //.
by field; lra.
Qed.

Section Covariance.
Variables N I : finType.
Implicit Types (X : N -> I -> R) (v w : I -> R).

Definition dot v w := sum (fun i => v i * w i).
Definition in_unit_ball v := dot v v <= 1.
Definition covariance X i j := sum (fun r => X r i * X r j) / INR #|N|.
(** One row is replaced. *)
Definition neighbours X X' := exists r, forall s, s != r -> forall i, X s i = X' s i.
Definition entrywise (D : I -> I -> R) := sum (fun i => sum (fun j => Rabs (D i j))).
Definition frobenius2 (D : I -> I -> R) := sum (fun i => sum (fun j => D i j ^ 2)).
Definition rank_two v w i j := v i * v j - w i * w j.

Lemma frobenius_rank_two v w : frobenius2 (rank_two v w) = dot v v ^ 2 + dot w w ^ 2 - 2 * dot v w ^ 2.
Proof.
rewrite (_ : dot v v ^ 2 = dot v v * dot v v); last ring.
rewrite (_ : dot w w ^ 2 = dot w w * dot w w); last ring.
rewrite (_ : dot v w ^ 2 = dot v w * dot v w); last ring.
rewrite /dot !sum_mult -sum_scale -sum_add -sum_sub; apply: sum_ext => i.
by rewrite -sum_scale -sum_add -sum_sub; apply: sum_ext => j; rewrite /rank_two; ring.
Qed.

Lemma dot_ge0 v : 0 <= dot v v.
Proof. by apply: sum_ge0 => i; have := pow2_ge_0 (v i); rewrite /= Rmult_1_r. Qed.

Lemma square_le1 x : 0 <= x -> x <= 1 -> x ^ 2 <= 1.
Proof. by move=> x0 x1; have := Rmult_le_compat _ _ _ _ x0 x0 x1 x1; rewrite /= Rmult_1_r; lra. Qed.

Lemma frobenius_le2 v w : in_unit_ball v -> in_unit_ball w -> frobenius2 (rank_two v w) <= 2.
Proof.
move=> v1 w1; rewrite frobenius_rank_two.
have := square_le1 (dot_ge0 v) v1; have := square_le1 (dot_ge0 w) w1; have := pow2_ge_0 (dot v w); lra.
Qed.

Lemma entrywise_square D : entrywise D ^ 2 <= INR #|I| ^ 2 * frobenius2 D.
Proof.
rewrite /entrywise /frobenius2 -(sum_prod (fun ij => Rabs (D ij.1 ij.2))) -(sum_prod (fun ij => D ij.1 ij.2 ^ 2)).
have := cauchy_schwarz (fun ij : I * I => Rabs (D ij.1 ij.2)) (fun _ => 1).
rewrite (sum_ext (g := fun ij => Rabs (D ij.1 ij.2))) => [|ij]; last by cbv beta; ring.
rewrite (sum_ext (f := fun ij => Rabs (D ij.1 ij.2) ^ 2) (g := fun ij => D ij.1 ij.2 ^ 2)) => [|ij];
  last exact: pow2_abs.
rewrite pow1 sum_const card_prod -multE mult_INR => le; apply: Rle_trans le _.
by rewrite (_ : INR #|I| ^ 2 = INR #|I| * INR #|I| * 1); [apply: Req_le; exact: Rmult_comm | ring].
Qed.

Lemma entrywise_le v w : in_unit_ball v -> in_unit_ball w -> entrywise (rank_two v w) <= sqrt 2 * INR #|I|.
Proof.
move=> v1 w1; apply: Rsqr_incr_0_var; last by apply: Rmult_le_pos; [exact: sqrt_pos | exact: pos_INR].
rewrite Rsqr_mult Rsqr_sqrt; last lra.
rewrite !Rsqr_pow2.
apply: Rle_trans (entrywise_square _) _; rewrite Rmult_comm; apply: Rmult_le_compat_r.
  exact: pow2_ge_0.
exact: frobenius_le2.
Qed.

Lemma covariance_change X X' r : (forall s, s != r -> forall i, X s i = X' s i) ->
  forall i j, covariance X i j - covariance X' i j = rank_two (X r) (X' r) i j / INR #|N|.
Proof.
move=> same i j; rewrite /covariance /Rdiv -Rmult_minus_distr_r; congr (_ * _).
rewrite (sum_split (fun s => X s i * X s j) r) (sum_split (fun s => X' s i * X' s j) r) /rank_two.
rewrite (_ : sum_if _ (fun s => X s i * X s j) = sum_if (fun k => k != r) (fun s => X' s i * X' s j)); first ring.
by apply: sum_ext => s; case: (boolP (s != r)) => // sr; rewrite !same.
Qed.

Lemma entrywise_change X X' r : (forall s, s != r -> forall i, X s i = X' s i) ->
  entrywise (fun i j => covariance X i j - covariance X' i j) = entrywise (rank_two (X r) (X' r)) / INR #|N|.
Proof.
move=> same; have n0 : 0 < INR #|N| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists r.
rewrite /Rdiv Rmult_comm /entrywise -sum_scale; apply: sum_ext => i; rewrite -sum_scale; apply: sum_ext => j.
rewrite (covariance_change same) /Rdiv Rabs_mult Rmult_comm (Rabs_pos_eq (/ _)) //.
by apply: Rlt_le; exact: Rinv_0_lt_compat.
Qed.

Lemma sqrt2_le2 : sqrt 2 <= 2.
Proof. by rewrite -[X in _ <= X]sqrt_Rsqr; [apply: sqrt_le_1_alt; rewrite /Rsqr; lra | lra]. Qed.

Lemma covariance_upper X X' : neighbours X X' -> (forall r, in_unit_ball (X r)) -> (forall r, in_unit_ball (X' r)) ->
  entrywise (fun i j => covariance X i j - covariance X' i j) <= 2 * INR #|I| / INR #|N|.
Proof.
move=> [r same] X1 X'1; have n0 : 0 < INR #|N| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists r.
rewrite (entrywise_change same); apply: Rmult_le_compat_r; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
apply: Rle_trans (entrywise_le (X1 r) (X'1 r)) _; apply: Rmult_le_compat_r; [exact: pos_INR | exact: sqrt2_le2].
Qed.

(* @proves JXZ-L2 covariance_sensitivity real *)
Theorem covariance_sensitivity (r : N) (i : I) :
  (forall X X', neighbours X X' -> (forall s, in_unit_ball (X s)) -> (forall s, in_unit_ball (X' s)) ->
    entrywise (fun i j => covariance X i j - covariance X' i j) <= 2 * INR #|I| / INR #|N|) /\
  (exists X X', neighbours X X' /\ (forall s, in_unit_ball (X s)) /\ (forall s, in_unit_ball (X' s)) /\
    INR #|I| / INR #|N| <= entrywise (fun i j => covariance X i j - covariance X' i j)).
Proof.
split; first exact: covariance_upper.
have d0 : 0 < INR #|I| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists i.
have n0 : 0 < INR #|N| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists r.
pose flat (_ : I) := / sqrt (INR #|I|); have s0 := sqrt_lt_R0 _ d0.
have flat2 : / sqrt (INR #|I|) * / sqrt (INR #|I|) = / INR #|I|.
  by rewrite -Rinv_mult sqrt_sqrt //; lra.
exists (fun s => if s == r then flat else fun _ => 0), (fun _ _ => 0).
have zero : in_unit_ball (fun _ => 0) by rewrite /in_unit_ball /dot (sum_ext (g := fun _ => 0)) ?sum_zero => [|k];
  [lra | ring].
split; first by exists r => s /negPf ->.
split=> [s|].
  case: (s == r) => //; rewrite /in_unit_ball /dot (sum_ext (g := fun _ => / INR #|I|)) ?sum_const //.
  by apply: Req_le; field; lra.
split=> [s //|].
rewrite (entrywise_change (r := r)); last by move=> s /negPf ->.
rewrite eqxx; apply: Rmult_le_compat_r; first by apply: Rlt_le; exact: Rinv_0_lt_compat.
rewrite /entrywise (sum_ext (g := fun _ => 1)) => [|k]; first by rewrite sum_const; lra.
rewrite (sum_ext (g := fun _ => / INR #|I|)) => [|l]; first by rewrite sum_const; field; lra.
by rewrite /rank_two Rmult_0_l Rminus_0_r flat2 Rabs_pos_eq //; apply: Rlt_le; exact: Rinv_0_lt_compat.
Qed.

(* @proves JXZ-L2-X l2_and_entrywise real, only: every entry counted at most sqrt 2 d; in l2 the value sqrt 2; nothing of the displayed exact value *)
Theorem l2_and_entrywise :
  (forall v w, in_unit_ball v -> in_unit_ball w ->
    entrywise (rank_two v w) <= sqrt 2 * INR #|I| /\ sqrt (frobenius2 (rank_two v w)) <= sqrt 2) /\
  (forall i j : I, i <> j -> exists v w, in_unit_ball v /\ in_unit_ball w /\ sqrt (frobenius2 (rank_two v w)) = sqrt 2).
Proof.
split=> [v w v1 w1|i j ij].
  by split; [exact: entrywise_le | apply: sqrt_le_1_alt; exact: frobenius_le2].
pose axis (k l : I) := if l == k then 1 else 0.
have axis_dot k l : dot (axis k) (axis l) = if k == l then 1 else 0.
  rewrite /dot (sum_one (i := k)) /axis ?eqxx => [|m /eqP /negPf ->]; last ring.
  by rewrite Rmult_1_l.
have one k : in_unit_ball (axis k) by rewrite /in_unit_ball axis_dot eqxx; lra.
exists (axis i), (axis j); split=> //; split=> //; congr sqrt.
rewrite frobenius_rank_two !axis_dot !eqxx; case: (boolP (i == j)) => [/eqP //|_]; ring.
Qed.
End Covariance.

(** The released numbers are the entries on and above the diagonal; noise below it mirrors that above. *)
Section Triangle.
Variables (N : finType) (d : nat).
Definition above (ij : 'I_d * 'I_d) := leq ij.1 ij.2.
Definition triangle := [finType of {ij | above ij}].
Definition entries (A : 'I_d -> 'I_d -> R) (p : triangle) := A (val p).1 (val p).2.

Lemma sum_triangle (f : 'I_d * 'I_d -> R) : sum (fun p : triangle => f (val p)) = sum_if above f.
Proof.
rewrite /sum_if /sum -big_mkcond -(big_map val xpredT f) -[RHS]big_enum /=; congr bigop.
by rewrite -(val_sub_enum [subCountType of {ij | above ij}]) -[index_enum _]enumT enumT unlock.
Qed.

Lemma triangle_le (A B : 'I_d -> 'I_d -> R) : distance (entries A) (entries B) <= entrywise (fun i j => A i j - B i j).
Proof.
rewrite /distance (sum_triangle (fun ij => Rabs (A ij.1 ij.2 - B ij.1 ij.2))).
apply: Rle_trans (sum_if_le_sum above (fun ij => Rabs_pos _)) _.
by rewrite sum_prod; apply: Rle_refl.
Qed.

(* @proves JXZ-T3 laplace_input_perturbation real, any integral, only: not the sensitivity S_d *)
Theorem laplace_input_perturbation (epsilon : R) (X X' : N -> 'I_d -> R) :
  let b := 2 * INR d / (INR #|N| * epsilon) in
  let A := entries (covariance X) in let A' := entries (covariance X') in
  (0 < d)%nat -> 0 < epsilon -> neighbours X X' ->
  (forall s, in_unit_ball (X s)) -> (forall s, in_unit_ball (X' s)) ->
  (forall integral event, integral_like b integral ->
    probability b integral A event <= exp epsilon * probability b integral A' event) /\
  (forall z, Rabs (ln (density b A z / density b A' z)) <= distance A A' / b) /\
  (exists z, ln (density b A z / density b A' z) = distance A A' / b).
Proof.
move=> b A A' d0 e0 near X1 X'1; have [r _] := near.
have n1 : 0 < INR #|N| by apply: lt_0_INR; apply/ltP; apply/card_gt0P; exists r.
have d1 : 0 < INR d by apply: lt_0_INR; apply/ltP.
have b0 : 0 < b by apply: Rdiv_lt_0_compat; [lra | exact: Rmult_lt_0_compat].
have [bound [attained [_ events]]] := laplace_mechanism A A' b0.
split=> // integral event like; apply: events => //.
apply: Rle_trans (triangle_le _ _) _; apply: Rle_trans (covariance_upper near X1 X'1) _.
by rewrite card_ord /b; apply: Req_le; field; lra.
Qed.
End Triangle.
