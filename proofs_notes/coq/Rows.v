(** How far second moments of rows move, and columns with public bounds.

    [changes v w] is the sum of all v_e v_e^* - w_e w_e^*, by which second moments move if the rows [w e] are replaced by
    [v e]; [size] is the norm K of KNorm.v, of its eigenvalues.  Beside the sections of the same labels in
    proofs_notes/sensitivity.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Psatz Ring.
Require Import Sums Scalars Orbit SinTheta PrincipalBases Weyl KNorm.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Changes.
Variables (K : scalars) (d : nat) (E : finType).
Add Ring scalar_ring_of_changes : (ring_laws K).
Implicit Types (v w : E -> 'I_d -> K) (U : 'I_d -> 'I_d -> K) (a : 'I_d -> R).

Definition change v w e : 'I_d -> 'I_d -> K := difference (outer (v e)) (outer (w e)).
Definition changes v w i j := total (fun e => change v w e i j).
Definition shift v w i := total (fun e => minus (v e i) (w e i)).

Lemma dot_real (x : 'I_d -> K) : dot x x = real K (norm2 x).
Proof.
rewrite /norm2 /sum (big_morph (real K) (@real_plus K) (real_zero K)); apply: total_ext => i; exact: square_real.
Qed.

Lemma change_norm c v w e : norm2 (v e) <= c -> norm2 (w e) <= c -> norm (change v w e) <= sqrt 2 * c.
Proof.
move=> vc wc; have v0 := norm2_ge0 (v e); have w0 := norm2_ge0 (w e).
rewrite -[c in sqrt 2 * c]sqrt_Rsqr -?sqrt_mult; try (rewrite /Rsqr; nra).
apply: sqrt_le_1_alt; rewrite frobenius2_difference /frobenius2 !inner_outer /Rsqr.
have self (x : 'I_d -> K) : abs2 (dot x x) = norm2 x ^ 2 by rewrite dot_real abs2_real.
have cross : 0 <= abs2 (dot (v e) (w e)) by exact: square_ge0.
rewrite !self; nra.
Qed.

Lemma changes_norm c v w : 0 <= c -> (forall e, norm2 (v e) <= c) -> (forall e, norm2 (w e) <= c) ->
  norm (changes v w) <= INR #|E| * (sqrt 2 * c).
Proof.
move=> c0 vc wc; have : 0 <= norm (changes v w) by exact: sqrt_pos.
have root := sqrt_pos 2; have many := pos_INR #|E|.
case=> [positive|<-]; last by apply: Rmult_le_pos => //; exact: Rmult_le_pos.
apply: (Rmult_le_reg_r (norm (changes v w))) => //.
rewrite -[X in X <= _]Rmult_1_r Rmult_assoc Rmult_1_r -/(Rsqr _) Rsqr_pow2 norm2_norm /frobenius2.
rewrite {1}/changes inner_total Rmult_assoc -sum_const; apply: sum_le => e.
apply: Rle_trans (inner_le_norms _ _) _; apply: Rmult_le_compat_r; first lra.
exact: change_norm.
Qed.

Lemma changes_form (P : 'I_d -> 'I_d -> K) v w :
  inner P (changes v w) = sum (fun e => inner P (outer (v e)) - inner P (outer (w e))).
Proof.
rewrite inner_sym inner_total; apply: sum_ext => e.
by rewrite inner_difference inner_sym [inner _ P]inner_sym.
Qed.

Lemma changes_size c U a v w : (forall e, norm2 (v e) <= c) -> (forall e, norm2 (w e) <= c) -> unitary U ->
  spectral U a =2 changes v w -> size a <= INR #|E| * c.
Proof.
move=> vc wc U1 same.
have seen s : inner (projector U s) (changes v w) = sum (fun i => (if s i then 1 else 0) * a i).
  by rewrite inner_sym -(inner_ext _ same) inner_sym /projector inner_same_basis.
have bound s : - (INR #|E| * c) <= inner (projector U s) (changes v w) <= INR #|E| * c.
  have each e : - c <= inner (projector U s) (outer (v e)) - inner (projector U s) (outer (w e)) <= c.
    by have := outer_form s (v e) U1; have := outer_form s (w e) U1; have := vc e; have := wc e; lra.
  have -> : - (INR #|E| * c) = sum (fun _ : E => - c) by rewrite sum_const; ring.
  have -> : INR #|E| * c = sum (fun _ : E => c) by rewrite sum_const; ring.
  by rewrite changes_form; split; apply: sum_le => e; case: (each e).
apply: Rmax_lub.
  rewrite /positive_part (sum_ext (g := fun i => (if less 0 (a i) then 1 else 0) * a i)) => [|i].
    by rewrite -seen; case: (bound (fun i => less 0 (a i))).
  by case: lessP => sign; [rewrite Rmax_right; lra | rewrite Rmax_left; lra].
rewrite /negative_part (sum_ext (g := fun i => - ((if less (a i) 0 then 1 else 0) * a i))) => [|i].
  by rewrite sum_opp -seen; have [] := bound (fun i => less (a i) 0); lra.
by case: lessP => sign; [rewrite Rmax_right; lra | rewrite Rmax_left; lra].
Qed.

Lemma shift_length v w : (forall e, norm2 (v e) <= 1) -> (forall e, norm2 (w e) <= 1) ->
  length (shift v w) <= INR #|E| * 2.
Proof.
move=> v1 w1; rewrite -sum_const.
have short (x : 'I_d -> K) : norm2 x <= 1 -> length x <= 1 by rewrite -{2}sqrt_1; exact: sqrt_le_1_alt.
have same (x y : 'I_d -> K) : x =1 y -> length x = length y.
  by move=> xy; rewrite /length /norm2 (sum_ext (g := fun i => abs2 (y i))) // => i; rewrite xy.
have none : length (fun _ : 'I_d => zero K) = 0.
  by rewrite /length /norm2 (sum_ext (g := fun _ => 0)) ?sum_zero ?sqrt_0 // => i; exact: abs2_zero.
suff parts (r : seq E) : length (fun i => \big[@plus K/zero K]_(e <- r) minus (v e i) (w e i))
    <= \big[Rplus/0]_(e <- r) 2 by apply: parts.
elim: r => [|e r IH]; first by rewrite big_nil (same _ (fun _ => zero K)) ?none; [lra | move=> i; rewrite big_nil].
rewrite big_cons (same _ (fun i => plus (plus (v e i) (opposite (w e i)))
  (\big[@plus K/zero K]_(e <- r) minus (v e i) (w e i)))) => [|i]; last by rewrite big_cons; ring.
apply: Rle_trans (length_plus _ _) _; apply: Rplus_le_compat IH.
apply: Rle_trans (length_plus _ _) _; have := short _ (v1 e); have := short _ (w1 e).
suff -> : length (fun i => opposite (w e i)) = length (w e) by lra.
by rewrite /length /norm2 (sum_ext (g := fun i => abs2 (w e i))) // => i; exact: abs2_opposite.
Qed.
End Changes.

(** Rows that belong to people: [data] are pairs of an id and a row, and of each person the rows [chosen] count, by a
    rule that sees the id and the person's own rows in their order; where it returns fewer than [m], zero stands. *)
Section People.
Variables (K : scalars) (d m : nat) (P : eqType).
Add Ring scalar_ring_of_people : (ring_laws K).
Notation row := ('I_d -> K).
Variable rule : P -> seq row -> 'I_m -> row.
Implicit Types (data : seq (P * row)) (p q : P).

Definition ids data := map fst data.
Definition people data := undup (ids data).
Definition own data q := map snd (filter (fun r => r.1 == q) data).
Definition chosen data q := rule q (own data q).
Definition over_people data (f : (P -> K)) := \big[@plus K/zero K]_(q <- people data) f q.
Definition moments data i j := over_people data (fun q => total (fun e => outer (chosen data q e) i j)).
Definition sums data i := over_people data (fun q => total (fun e => chosen data q e i)).
(** What is not of [p], in its order. *)
Definition others data p := filter (fun r => r.1 != p) data.

Lemma own_of_others data p q : q != p -> own (others data p) q = own data q.
Proof.
move=> qp; rewrite /own /others -filter_predI; congr (map snd _); apply: eq_filter => r /=.
by case: eqP => // ->.
Qed.

Lemma ids_of_others data p : ids (others data p) = filter (predC1 p) (ids data).
Proof. by rewrite /ids /others filter_map. Qed.

Section Replaced.
Variables (data data' : seq (P * row)) (p : P).
Hypothesis stay : others data p = others data' p.
Hypothesis before : p \in ids data.
Hypothesis after : p \in ids data'.

Lemma same_people : perm_eq (people data) (people data').
Proof.
apply: uniq_perm; rewrite ?undup_uniq // => q; rewrite !mem_undup.
case: (eqVneq q p) => [->|qp]; first by rewrite before after.
have inside s : (q \in ids s) = (q \in ids (others s p)) by rewrite ids_of_others mem_filter /= qp.
by rewrite inside stay -inside.
Qed.

Lemma same_chosen q : q != p -> chosen data q = chosen data' q.
Proof. by move=> qp; rewrite /chosen -(own_of_others data qp) stay own_of_others. Qed.

Lemma over_people_moves (f g : P -> K) : (forall q, q != p -> f q = g q) ->
  minus (over_people data' g) (over_people data f) = minus (g p) (f p).
Proof.
move=> same; rewrite /over_people (perm_big _ same_people) /=.
have inside : p \in people data' by rewrite mem_undup.
have e : \big[@plus K/zero K]_(q <- people data' | q != p) f q = \big[@plus K/zero K]_(q <- people data' | q != p) g q.
  by apply: eq_bigr => q; exact: same.
by rewrite !(bigD1_seq p inside (undup_uniq _)) /= e; ring.
Qed.

Lemma norm_ext (A B : 'I_d -> 'I_d -> K) : A =2 B -> norm A = norm B.
Proof.
by move=> e; congr sqrt; apply: sum_ext => i; apply: sum_ext => j; rewrite e.
Qed.

(* @proves DPS-PEOPLE person_replaced finite dimension *)
Theorem person_replaced : (forall e, norm2 (chosen data p e) <= 1) -> (forall e, norm2 (chosen data' p e) <= 1) ->
  seq.size (people data) = seq.size (people data') /\
  (forall q, q != p -> chosen data q = chosen data' q) /\
  (forall U a, unitary U -> spectral U a =2 difference (moments data') (moments data) -> size a <= INR m) /\
  norm (difference (moments data') (moments data)) <= INR m * sqrt 2 /\
  length (fun i => minus (sums data' i) (sums data i)) <= 2 * INR m.
Proof.
move=> v1 w1; split; first exact: perm_size same_people.
split; first exact: same_chosen.
have total_minus (f g : 'I_m -> K) : minus (total f) (total g) = total (fun e => minus (f e) (g e)).
  rewrite [RHS](total_ext (g := fun e => plus (f e) (times (opposite (one K)) (g e)))) => [|e]; last ring.
  by rewrite total_plus total_scale; ring.
have moved : difference (moments data') (moments data) =2 changes (chosen data' p) (chosen data p).
  move=> i j; rewrite /difference /moments over_people_moves ?total_minus // => q qp.
  by rewrite same_chosen.
split=> [U a U1 same|].
  rewrite -[INR m]Rmult_1_r -[X in INR X]card_ord; apply: (changes_size w1 v1 U1) => i j; rewrite same; exact: moved.
split.
  by rewrite (norm_ext moved) -[X in INR X]card_ord -[sqrt 2]Rmult_1_r; apply: changes_norm => //; lra.
rewrite Rmult_comm -[X in INR X]card_ord; apply: Rle_trans (shift_length w1 v1); apply: Req_le.
congr sqrt; apply: sum_ext => i; rewrite /sums over_people_moves ?total_minus // => q qp.
by rewrite same_chosen.
Qed.
End Replaced.
End People.

(** Differences of consecutive rows, in a ring of [n.+1] places, to each of which [h] is applied. *)
Section Ring.
Variables (K : scalars) (d n : nat).
Add Ring scalar_ring_of_pairs : (ring_laws K).
Notation row := ('I_d -> K).
Implicit Types (X Y : 'I_n.+1 -> row) (i r : 'I_n.+1) (h : row -> row).

Definition next i : 'I_n.+1 := inord (i.+1 %% n.+1).
Definition gap X i : row := fun j => minus (X i j) (X (next i) j).
Definition unit_row (x : row) : row := fun j => times (real K (/ length x)) (x j).
Definition clipped t (x : row) : row := fun j => times (real K (Rmin 1 (t / length x))) (x j).
Definition gaps h X := fun i => h (gap X i).
Definition ring_moments h X (k l : 'I_d) := total (fun i => outer (gaps h X i) k l).

Lemma unit_row_norm (x : row) : norm2 (unit_row x) <= 1.
Proof.
have -> : norm2 (unit_row x) = / length x ^ 2 * norm2 x.
  by rewrite -sum_scale; apply: sum_ext => j; rewrite abs2_times abs2_real pow_inv.
rewrite /length sqrt_square; last exact: norm2_ge0.
case: (norm2_ge0 x) => [x0|<-]; last by rewrite Rmult_0_r; lra.
by rewrite Rinv_l; lra.
Qed.

Lemma next_injective : injective next.
Proof.
move=> [i lti] [j ltj] /(f_equal (@nat_of_ord _)); rewrite !inordK ?ltn_pmod // => e; apply/val_inj; move: e => /=.
rewrite ltnS leq_eqVlt in lti; rewrite ltnS leq_eqVlt in ltj.
by case/orP: lti => [/eqP ->|lti]; case/orP: ltj => [/eqP ->|ltj]; rewrite ?modnn ?modn_small // => -[].
Qed.

Definition touched r := [pred i | (i == r) || (next i == r)].

Lemma two_touched r : (#|touched r| <= 2)%nat.
Proof.
have -> : #|touched r| = #|[predU pred1 r & [pred i | next i == r]]| by apply: eq_card.
have : (#|[predU pred1 r & [pred i | next i == r]]| <= 1 + #|[pred i | next i == r]|)%nat.
  by rewrite -(card1 r) -cardUI leq_addr.
suff one : (#|[pred i | next i == r]| <= 1)%nat by move=> le; apply: leq_trans le _; rewrite add1n ltnS.
rewrite leqNgt; apply/negP => /card_gt1P [i [j [/eqP ir /eqP jr /eqP ij]]].
by case: ij; apply: next_injective; rewrite ir.
Qed.

Lemma ring_replaced h c X Y r : (forall x, norm2 (h x) <= c) -> (forall i, i != r -> X i = Y i) ->
  (forall i, i \notin touched r -> gaps h Y i = gaps h X i) /\
  (forall U a, unitary U -> spectral U a =2 difference (ring_moments h Y) (ring_moments h X) -> size a <= 2 * c) /\
  norm (difference (ring_moments h Y) (ring_moments h X)) <= 2 * (sqrt 2 * c).
Proof.
move=> short same.
have stay i : i \notin touched r -> gaps h Y i = gaps h X i.
  by rewrite inE negb_or => /andP [ir nr]; rewrite /gaps /gap !same.
split=> //.
have moved : difference (ring_moments h Y) (ring_moments h X) =2
    changes (fun e : 'I_#|touched r| => gaps h Y (enum_val e)) (fun e => gaps h X (enum_val e)).
  move=> k l; rewrite {1}/difference.
  pose here Z := total (fun e : 'I_#|touched r| => outer (gaps h Z (enum_val e)) k l).
  pose away Z := \big[@plus K/zero K]_(i | i \notin touched r) outer (gaps h Z i) k l.
  have parts Z : ring_moments h Z k l = plus (here Z) (away Z).
    rewrite /ring_moments /total (bigID (mem (touched r))) /=; congr plus.
    by rewrite big_enum_val.
  have rest : away Y = away X by apply: eq_bigr => i out; rewrite (stay i out).
  rewrite -/(ring_moments h Y k l) -/(ring_moments h X k l) !parts rest.
  have -> : changes (fun e : 'I_#|touched r| => gaps h Y (enum_val e)) (fun e => gaps h X (enum_val e)) k l =
      minus (here Y) (here X).
    transitivity (plus (here Y) (times (opposite (one K)) (here X))); last ring.
    rewrite /here -total_scale -total_plus; apply: total_ext => e.
    by rewrite /change /difference; ring.
  ring.
have c0 : 0 <= c by apply: Rle_trans (norm2_ge0 (h (X r))) (short _).
have few : INR #|[finType of 'I_#|touched r|]| <= 2.
  by rewrite card_ord; apply: (le_INR _ 2); apply/leP; exact: two_touched.
split=> [U a U1 e|].
  apply: Rle_trans (Rmult_le_compat_r _ _ _ c0 few); apply: (changes_size (v := fun e => gaps h Y (enum_val e))
    (w := fun e => gaps h X (enum_val e)) _ _ U1) => [x|x|i j]; rewrite ?e; [exact: short | exact: short | exact: moved].
have root : 0 <= sqrt 2 * c by apply: Rmult_le_pos => //; exact: sqrt_pos.
rewrite (norm_ext moved); apply: Rle_trans (Rmult_le_compat_r _ _ _ root few).
by apply: changes_norm => // x; exact: short.
Qed.

(* @proves DPS-PAIRS pair_replaced finite dimension *)
Theorem pair_replaced X Y r : (forall i, i != r -> X i = Y i) ->
  (#|touched r| <= 2)%nat /\ (forall i, i \notin touched r -> gaps unit_row Y i = gaps unit_row X i) /\
  (forall U a, unitary U -> spectral U a =2 difference (ring_moments unit_row Y) (ring_moments unit_row X) ->
    size a <= 2) /\
  norm (difference (ring_moments unit_row Y) (ring_moments unit_row X)) <= 2 * sqrt 2.
Proof.
move=> same; split; first exact: two_touched.
by have := ring_replaced unit_row_norm same; rewrite !Rmult_1_r.
Qed.

Lemma clipped_norm b (x : row) : 0 < b -> norm2 (clipped b x) <= b ^ 2.
Proof.
move=> b0; have b2 : 0 < b ^ 2 by apply: pow_lt.
have -> : norm2 (clipped b x) = Rmin 1 (b / length x) ^ 2 * norm2 x.
  by rewrite -sum_scale; apply: sum_ext => j; rewrite abs2_times abs2_real.
have square : length x ^ 2 = norm2 x by rewrite /length sqrt_square //; exact: norm2_ge0.
case: (norm2_ge0 x) => [x0|<-]; last by rewrite Rmult_0_r; lra.
have l0 : 0 < length x by exact: sqrt_lt_R0.
have q0 : 0 < b / length x by exact: Rdiv_lt_0_compat.
have -> : b ^ 2 = (b / length x) ^ 2 * norm2 x by rewrite -square; field; lra.
apply: Rmult_le_compat_r; first lra.
by apply: pow_incr; split; [apply: Rmin_glb; lra | exact: Rmin_r].
Qed.

(** [half_moments b] is half the sum over the differences, shortened to the length [b]. *)
Definition half_moments b X (k l : 'I_d) := times (real K (/ 2)) (ring_moments (clipped b) X k l).
Definition halved b (x : row) : row := fun j => times (real K (/ sqrt 2)) (clipped b x j).

Lemma half_moments_of b X : half_moments b X =2 ring_moments (halved b) X.
Proof.
move=> k l; rewrite /half_moments /ring_moments -total_scale; apply: total_ext => i.
rewrite /outer /gaps /halved conj_times conj_real.
have -> : real K (/ 2) = times (real K (/ sqrt 2)) (real K (/ sqrt 2)).
  by rewrite -real_times -Rinv_mult sqrt_sqrt //; lra.
ring.
Qed.

(* @proves DPS-SHORTPAIRS short_pair_replaced finite dimension, only: norms of the change *)
Theorem short_pair_replaced b X Y r : 0 < b -> (forall i, i != r -> X i = Y i) ->
  (forall U a, unitary U -> spectral U a =2 difference (half_moments b Y) (half_moments b X) -> size a <= b ^ 2) /\
  norm (difference (half_moments b Y) (half_moments b X)) <= sqrt 2 * b ^ 2.
Proof.
move=> b0 same.
have short x : norm2 (halved b x) <= b ^ 2 / 2.
  have -> : norm2 (halved b x) = / 2 * norm2 (clipped b x).
    rewrite -sum_scale; apply: sum_ext => j; rewrite /halved abs2_times abs2_real pow_inv.
    by rewrite -Rsqr_pow2 Rsqr_sqrt //; lra.
  by have := clipped_norm x b0; lra.
have e : difference (half_moments b Y) (half_moments b X) =2
    difference (ring_moments (halved b) Y) (ring_moments (halved b) X).
  by move=> k l; rewrite /difference !half_moments_of.
have [_ [spectrum frobenius]] := ring_replaced short same.
split=> [U a U1 eU|].
  have <- : 2 * (b ^ 2 / 2) = b ^ 2 by field.
  by apply: (spectrum U a U1) => k l; rewrite eU e.
by rewrite (norm_ext e); lra.
Qed.
End Ring.

(** Rows clipped at a length [t]: their second moments for a unit of noise. *)
Section Threshold.
Variables (K : scalars) (d : nat) (N : finType) (X : N -> 'I_d -> K).
Add Ring scalar_ring_of_threshold : (ring_laws K).
Hypothesis nonzero : forall i, 0 < norm2 (X i).
Implicit Types (U V W : 'I_d -> 'I_d -> K) (a b c : 'I_d -> R) (u : 'I_d -> K).

Definition weighed (r : R) (row : N -> 'I_d -> K) k l := times (real K r) (total (fun i => outer (row i) k l)).
Definition clipped_moments t := weighed (/ t ^ 2) (fun i => clipped t (X i)).
Definition unit_moments := weighed 1 (fun i => unit_row (X i)).

Lemma form_weighed r (s : N -> R) u :
  inner (weighed r (fun i j => times (real K (s i)) (X i j))) (outer u) = sum (fun i => r * s i ^ 2 * abs2 (dot (X i) u)).
Proof.
rewrite (inner_real_scale r) inner_total -sum_scale; apply: sum_ext => i; rewrite inner_outer.
have -> : dot (fun j => times (real K (s i)) (X i j)) u = times (real K (s i)) (dot (X i) u).
  by rewrite /dot -total_scale; apply: total_ext => j; ring.
by rewrite abs2_times abs2_real; ring.
Qed.

(** [U], [V], [W] diagonalise the moments at [t], at [t'] and those of rows of unit length. *)
(* @proves DPS-THRESHOLD lower_is_more finite dimension, decompositions given *)
Theorem lower_is_more t t' U V W a b c : 0 < t <= t' -> unitary U -> unitary V -> unitary W ->
  descending a -> descending b -> descending c ->
  spectral U a =2 clipped_moments t -> spectral V b =2 clipped_moments t' -> spectral W c =2 unit_moments ->
  (forall i, b i <= a i <= c i) /\ (forall i, t ^ 2 * a i <= t' ^ 2 * b i) /\
  forall k, sum_if (top k) b <= sum_if (top k) a <= sum_if (top k) c /\
    t ^ 2 * sum_if (top k) a <= t' ^ 2 * sum_if (top k) b.
Proof.
move=> [t0 tt'] U1 V1 W1 a1 b1 c1 ea eb ec.
have len i : 0 < length (X i) by exact: sqrt_lt_R0.
have moments s u : 0 < s -> inner (clipped_moments s) (outer u) =
    sum (fun i => / s ^ 2 * Rmin 1 (s / length (X i)) ^ 2 * abs2 (dot (X i) u)) by move=> _; exact: form_weighed.
have units u : inner unit_moments (outer u) = sum (fun i => 1 * (/ length (X i)) ^ 2 * abs2 (dot (X i) u)).
  exact: form_weighed.
have small s x : 0 < s -> 0 < x -> / s ^ 2 * Rmin 1 (s / x) ^ 2 = Rmin (/ s) (/ x) ^ 2.
  move=> s0 x0; have si := Rinv_0_lt_compat _ s0; rewrite -pow_inv -Rpow_mult_distr; congr (_ ^ 2).
  case: (Rle_dec x s) => le.
    have : 1 <= s / x by apply: le_div; lra.
    by move=> one; rewrite (Rmin_left 1) // Rmin_left ?Rmult_1_r //; exact: Rinv_le_contravar.
  have : s / x <= 1 by apply: div_le; lra.
  move=> one; rewrite (Rmin_right 1) // Rmin_right; [field; lra | apply: Rinv_le_contravar; lra].
have order f g : (forall i, 0 <= f i <= g i) -> forall u,
    sum (fun i : N => f i ^ 2 * abs2 (dot (X i) u)) <= sum (fun i => g i ^ 2 * abs2 (dot (X i) u)).
  move=> fg u; apply: sum_le => i; apply: Rmult_le_compat_r; first exact: square_ge0.
  by apply: pow_incr; exact: fg.
have least s i : 0 < s -> 0 <= Rmin (/ s) (/ length (X i)).
  by move=> s0; apply: Rmin_glb; apply: Rlt_le; apply: Rinv_0_lt_compat.
have t0' : 0 < t' by lra.
have lower u : inner (clipped_moments t') (outer u) <= inner (clipped_moments t) (outer u).
  rewrite !moments // (sum_ext (g := fun i => Rmin (/ t') (/ length (X i)) ^ 2 * abs2 (dot (X i) u))) => [|i].
    rewrite [X in _ <= X](sum_ext (g := fun i => Rmin (/ t) (/ length (X i)) ^ 2 * abs2 (dot (X i) u))) => [|i].
      apply: order => i; split; first exact: least.
      by apply: Rmin_glb; [apply: Rle_trans (Rmin_l _ _) _; exact: Rinv_le_contravar | exact: Rmin_r].
    by rewrite small.
  by rewrite small.
have unit u : inner (clipped_moments t) (outer u) <= inner unit_moments (outer u).
  rewrite moments // units (sum_ext (g := fun i => Rmin (/ t) (/ length (X i)) ^ 2 * abs2 (dot (X i) u))) => [|i].
    rewrite [X in _ <= X](sum_ext (g := fun i => (/ length (X i)) ^ 2 * abs2 (dot (X i) u))) => [|i]; last ring.
    by apply: order => i; split; [exact: least | exact: Rmin_r].
  by rewrite small.
have higher u : t ^ 2 * inner (clipped_moments t) (outer u) <= t' ^ 2 * inner (clipped_moments t') (outer u).
  have whole s : 0 < s -> s ^ 2 * inner (clipped_moments s) (outer u) =
      sum (fun i => Rmin 1 (s / length (X i)) ^ 2 * abs2 (dot (X i) u)).
    move=> s0; rewrite moments // -sum_scale; apply: sum_ext => i; field; lra.
  rewrite !whole //; apply: order => i; have l0 := len i.
  have up : t / length (X i) <= t' / length (X i) by apply: Rmult_le_compat_r; [apply: Rlt_le; exact: Rinv_0_lt_compat | lra].
  split; first by apply: Rmin_glb; [lra | apply: Rlt_le; exact: Rdiv_lt_0_compat].
  by apply: Rmin_glb; [exact: Rmin_l | apply: Rle_trans (Rmin_r _ _) up].
have ba i : b i <= a i.
  suff : b i <= a i + 0 by lra.
  by apply: (monotone_values i U1 V1) => // u; rewrite (inner_ext _ ea) (inner_ext _ eb); have := lower u; lra.
have ac i : a i <= c i.
  suff : a i <= c i + 0 by lra.
  by apply: (monotone_values i W1 U1) => // u; rewrite (inner_ext _ ea) (inner_ext _ ec); have := unit u; lra.
have s2 : 0 < t ^ 2 by exact: pow_lt.
have s2' : 0 < t' ^ 2 by exact: pow_lt.
have scaled i : t ^ 2 * a i <= t' ^ 2 * b i.
  have le : (i + 0 <= i)%nat by rewrite addn0.
  have [x [x0 [xV [_ xU]]]] := common_vector V V U le.
  have up := form_upper V1 b1 xV; have low := form_lower U1 a1 xU.
  rewrite (inner_ext _ ea) in low; rewrite (inner_ext _ eb) in up; apply: (Rmult_le_reg_r (norm2 x)) => //.
  have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ s2) low; have := Rmult_le_compat_l _ _ _ (Rlt_le _ _ s2') up.
  by have := higher x; lra.
split=> [i|]; first by split.
split=> // k; split; first by split; apply: sum_if_le.
by rewrite -!sum_if_scale; apply: sum_if_le.
Qed.
End Threshold.

(** A column [j] has a public middle, half width and weight; a row is cut off at the bounds, and its entries are
    scaled so that every row has norm at most 1. *)
Section Columns.
Variable I : finType.
Implicit Types (middle half weight x : I -> R).

Definition cut middle half x j := Rmin (Rmax (x j) (middle j - half j)) (middle j + half j).
Definition share weight j := weight j / sqrt (sum (fun i => weight i ^ 2)).
Definition scaled middle half weight x j := share weight j * Rmin (Rmax ((x j - middle j) / half j) (-1)) 1.
Definition unit_of half weight j := half j / share weight j.

(* @proves DPS-COLUMNS columns_in_bounds real, reals for floats *)
Theorem columns_in_bounds middle half weight (some : I) : (forall j, 0 < half j) -> (forall j, 0 < weight j) ->
  let z := scaled middle half weight in let D := unit_of half weight in
  (forall x, sum (fun j => z x j ^ 2) <= 1) /\
  (forall (N : finType) (X Y : N -> I -> R) r, (forall s, s != r -> X s = Y s) ->
    forall s, s != r -> z (X s) = z (Y s)) /\
  (forall x j, middle j + D j * z x j = cut middle half x j) /\
  (forall x j k, D j * (z x j * z x k) * D k = (cut middle half x j - middle j) * (cut middle half x k - middle k)).
Proof.
move=> half0 weight0 z D; set total := sum (fun i => weight i ^ 2).
have total0 : 0 < total by apply: (sum_pos (i := some)) => [k|]; [exact: pow2_ge_0 | exact: pow_lt].
have root0 : 0 < sqrt total by exact: sqrt_lt_R0.
have share0 j : 0 < share weight j by exact: Rdiv_lt_0_compat.
have back x j : middle j + D j * z x j = cut middle half x j.
  rewrite /D /unit_of /z /scaled; set s := share weight j; set c := Rmin _ 1.
  have -> : middle j + half j / s * (s * c) = middle j + half j * c by field; have := share0 j; rewrite -/s; lra.
  rewrite /c /cut; have := half0 j; set h := half j => h0; set q := (x j - middle j) / half j.
  have -> : x j = middle j + h * q by rewrite /q -/h; field; lra.
  have up p t : p <= t -> h * p <= h * t by apply: Rmult_le_compat_l; lra.
  case: (Rle_dec q (-1)) => low.
    have := up _ _ low; rewrite (Rmax_right q) // (Rmin_left (-1)); last lra.
    by move=> le; rewrite Rmax_right ?Rmin_left; lra.
  have := up (-1) q ltac:(lra); rewrite (Rmax_left q); last lra.
  move=> ge; rewrite Rmax_left; last lra.
  case: (Rle_dec q 1) => high; first by have le := up _ _ high; rewrite !Rmin_left; lra.
  by have le := up 1 q ltac:(lra); rewrite !Rmin_right; lra.
split=> [x|].
  have -> : 1 = sum (fun j => share weight j ^ 2).
    rewrite (sum_ext (g := fun j => / total * weight j ^ 2)) => [|j]; first by rewrite sum_scale -/total Rinv_l; lra.
    by rewrite /share -/total Rpow_mult_distr pow_inv sqrt_square ?[_ * / total]Rmult_comm //; lra.
  apply: sum_le => j; rewrite /z /scaled Rpow_mult_distr -[X in _ <= X]Rmult_1_r.
  apply: Rmult_le_compat_l; first exact: pow2_ge_0.
  have := Rmin_r (Rmax ((x j - middle j) / half j) (-1)) 1; set c := Rmin _ 1 => c1.
  have : -1 <= c by apply: Rmin_glb; [exact: Rmax_r | lra].
  by move=> c0; have := Rmult_le_pos (1 - c) (1 + c) ltac:(lra) ltac:(lra); rewrite /=; lra.
split=> [N X Y r same s sr|]; first by rewrite same.
split=> // x j k; rewrite -!back; ring.
Qed.
End Columns.
