(** K-norm noise: a replaced row is hidden by a density that falls with the size of the positive and negative parts.

    A Hermitian matrix is spectral U a (Orbit.v); [size a] is the larger of the sums of its positive and of its negative
    eigenvalues, in modulus.  The noise Z has a density proportional to exp (- epsilon * size), so that an output has at
    M the density [falling], where the eigenvalues are those of the output less M.
    Beside "K-norm noise" of proofs_notes/privacy.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars Orbit.
Require IntegralMechanism.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Size.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_size : (ring_laws K).
Implicit Types (U V : 'I_d -> 'I_d -> K) (a b : 'I_d -> R) (v w : 'I_d -> K).

Definition positive_part a := sum (fun i => Rmax 0 (a i)).
Definition negative_part a := sum (fun i => Rmax 0 (- a i)).
Definition size a := Rmax (positive_part a) (negative_part a).
(** The matrix gains v v^* and loses w w^*. *)
Definition moved U a V b v w :=
  forall i j, spectral V b i j = plus (minus (spectral U a i j) (outer w i j)) (outer v i j).

Lemma outer_form V (s : 'I_d -> bool) v : unitary V -> 0 <= inner (projector V s) (outer v) <= norm2 v.
Proof.
move=> V1; rewrite /projector inner_spectral_left -(parseval v V1).
have same j : inner (outer (column V j)) (outer v) = abs2 (dot v (column V j)) by rewrite inner_sym inner_outer.
split; first by apply: sum_ge0 => j; rewrite same; have : 0 <= abs2 (dot v (column V j)) by [exact: square_ge0];
  case: (s j); lra.
by apply: sum_le => j; rewrite same; have : 0 <= abs2 (dot v (column V j)) by [exact: square_ge0]; case: (s j); lra.
Qed.

Lemma inner_moved U a V b v w (P : 'I_d -> 'I_d -> K) : moved U a V b v w ->
  inner P (spectral V b) = inner P (spectral U a) - inner P (outer w) + inner P (outer v).
Proof.
move=> change; rewrite ![inner P _]inner_sym -sum_sub -sum_add; apply: sum_ext => i.
by rewrite -sum_sub -sum_add; apply: sum_ext => j; rewrite -re_minus -re_plus change; congr re; ring.
Qed.

(** A projector sees at most the positive part, and at least what the negative one takes away. *)
Lemma projector_bounds U V a (s : 'I_d -> bool) : unitary U -> unitary V ->
  - negative_part a <= inner (projector V s) (spectral U a) <= positive_part a.
Proof.
move=> U1 V1; rewrite /projector inner_spectral sum_swap.
have column k : sum (fun j => overlap V U j k * ((if s j then 1 else 0) * a k)) =
  a k * sum (fun j => overlap V U j k * (if s j then 1 else 0)).
  by rewrite -sum_scale; apply: sum_ext => j; ring.
have share k : 0 <= sum (fun j => overlap V U j k * (if s j then 1 else 0)) <= 1.
  split; first by apply: sum_ge0 => j; have := overlap_ge0 V U j k; case: (s j); lra.
  by rewrite -[X in _ <= X](overlap_columns k V1 U1); apply: sum_le => j; have := overlap_ge0 V U j k; case: (s j); lra.
have parts x y : 0 <= y <= 1 -> - Rmax 0 (- x) <= x * y <= Rmax 0 x.
  move=> [y0 y1]; case: (Rle_dec 0 x) => sign.
    rewrite (Rmax_left 0 (- x)) ?(Rmax_right 0 x); try lra.
    have := Rmult_le_pos _ _ sign y0; have := Rmult_le_compat_l _ _ _ sign y1; lra.
  rewrite (Rmax_right 0 (- x)) ?(Rmax_left 0 x); try lra.
  have n0 : 0 <= - x by lra.
  have := Rmult_le_pos _ _ n0 y0; have := Rmult_le_compat_l _ _ _ n0 y1; lra.
split; last by apply: sum_le => k; rewrite column; case: (parts (a k) _ (share k)).
by rewrite -sum_opp; apply: sum_le => k; rewrite column; case: (parts (a k) _ (share k)).
Qed.

Lemma size_moved U a V b v w : unitary U -> unitary V -> norm2 v <= 1 -> norm2 w <= 1 -> moved U a V b v w ->
  size b <= size a + 1.
Proof.
move=> U1 V1 v1 w1 change.
have top := Rmax_l (positive_part a) (negative_part a); have low := Rmax_r (positive_part a) (negative_part a).
have seen s : inner (projector V s) (spectral V b) = sum (fun i => (if s i then 1 else 0) * b i).
  by rewrite /projector inner_same_basis.
have bound s : - (size a + 1) <= inner (projector V s) (spectral V b) <= size a + 1.
  rewrite (inner_moved _ change); have := projector_bounds a s U1 V1.
  by have := outer_form s v V1; have := outer_form s w V1; rewrite /size; lra.
apply: Rmax_lub.
  rewrite /positive_part (sum_ext (g := fun i => (if less 0 (b i) then 1 else 0) * b i)) => [|i].
    by rewrite -seen; case: (bound (fun i => less 0 (b i))).
  by case: lessP => sign; [rewrite Rmax_right; lra | rewrite Rmax_left; lra].
rewrite /negative_part (sum_ext (g := fun i => - ((if less (b i) 0 then 1 else 0) * b i))) => [|i].
  by rewrite sum_opp -seen; have [] := bound (fun i => less (b i) 0); lra.
by case: lessP => sign; [rewrite Rmax_right; lra | rewrite Rmax_left; lra].
Qed.
End Size.

(** [T] are the outputs; at output [t] the noise is spectral (U t) (a t), and on the neighbour spectral (V t) (b t). *)
(* @proves DPS-KNORM replaced_row any integral, decompositions given, only: privacy, and the norm of a replaced row *)
Theorem replaced_row (K : scalars) d (T : Type) (class : (T -> R) -> Prop) (integral : (T -> R) -> R)
    (U V : T -> 'I_d -> 'I_d -> K) (a b : T -> 'I_d -> R) (v w : 'I_d -> K) epsilon constant event :
  let p t := constant * exp (- (epsilon * size (a t))) in
  let q t := constant * exp (- (epsilon * size (b t))) in
  IntegralMechanism.integral_like (fun _ => True) class integral -> 0 <= epsilon -> 0 < constant ->
  (forall t, unitary (U t)) -> (forall t, unitary (V t)) -> norm2 v <= 1 -> norm2 w <= 1 ->
  (forall t, moved (U t) (a t) (V t) (b t) v w) ->
  (forall t, size (b t) <= size (a t) + 1) /\
  (forall t, p t <= exp epsilon * q t) /\
  (IntegralMechanism.measured class event p q ->
    integral (IntegralMechanism.part event p) <= exp epsilon * integral (IntegralMechanism.part event q)).
Proof.
move=> p q like e0 c0 U1 V1 v1 w1 change.
have near t : size (b t) <= size (a t) + 1 by exact: size_moved (U1 t) (V1 t) v1 w1 (change t).
have ratio t : p t <= exp epsilon * q t.
  rewrite /p /q -Rmult_assoc [exp epsilon * _]Rmult_comm Rmult_assoc -exp_plus; apply: Rmult_le_compat_l; first lra.
  by apply: exp_le; have := Rmult_le_compat_l _ _ _ e0 (near t); lra.
split=> //; split=> // parts; apply: (IntegralMechanism.event_le like) => //; exact: exp_ge0.
Qed.
