(** The unitary group carries every point of an orbit to every other one, without changing distances.

    [product A B] is the matrix product, [adjoint A] the conjugate transpose, [turned W A] is W A W^*.  A norm is
    [invariant] if it is the same for [A] and [turned W A] whenever [W] is unitary; the Frobenius norm is one.  With
    such a norm the packings of balls of an orbit are those of Packings.v.  Beside "Balls of an orbit" of
    proofs_notes/packing.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring FunctionalExtensionality.
Require Import Sums Scalars Orbit SinTheta Packings.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Group.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_group : (ring_laws K).
Notation "x * y" := (times x y) : scalar_scope.
Delimit Scope scalar_scope with S.
Notation matrix := ('I_d -> 'I_d -> K).
Implicit Types (A B C U V W : matrix) (a : 'I_d -> R) (N : matrix -> R).

Definition product A B : matrix := fun i l => total (fun j => A i j * B j l)%S.
Definition adjoint A : matrix := fun i j => conj (A j i).
Definition diagonal a : matrix := fun i j => (real K (a i) * delta K i j)%S.
Definition turned W A := product W (product A (adjoint W)).
(** All matrices with the eigenvalues [a]. *)
Definition orbit a A := exists U, unitary U /\ A = spectral U a.
Definition invariant N := forall W A, unitary W -> N (turned W A) = N A.
Definition apart N A B := N (difference A B).

Lemma matrix_ext A B : (forall i j, A i j = B i j) -> A = B.
Proof. by move=> e; do 2 apply: functional_extensionality => ?. Qed.

Lemma product_assoc A B C : product A (product B C) = product (product A B) C.
Proof.
apply: matrix_ext => i l.
transitivity (total (fun j => total (fun m => A i j * (B j m * C m l))))%S.
  by apply: total_ext => j; rewrite total_scale.
rewrite total_swap; apply: total_ext => m.
rewrite (_ : (_ * C m l)%S = (C m l * product A B i m)%S); last ring.
by rewrite -total_scale; apply: total_ext => j; ring.
Qed.

Lemma product_one A : product A (@identity K d) = A.
Proof.
apply: matrix_ext => i l; rewrite /product (total_ext (g := fun j => delta K l j * A i j)%S) ?total_delta // => j.
by rewrite /identity [delta K j l]delta_sym; ring.
Qed.

Lemma one_product A : product (@identity K d) A = A.
Proof. by apply: matrix_ext => i l; exact: total_delta. Qed.

Lemma adjoint_product A B : adjoint (product A B) = product (adjoint B) (adjoint A).
Proof.
by apply: matrix_ext => i l; rewrite /adjoint /product total_conj; apply: total_ext => j; rewrite conj_times; ring.
Qed.

Lemma adjoint_adjoint A : adjoint (adjoint A) = A.
Proof. by apply: matrix_ext => i j; exact: conj_conj. Qed.

Lemma unitary_products U : unitary U <-> product (adjoint U) U = @identity K d /\ product U (adjoint U) = @identity K d.
Proof.
have columns j k : product (adjoint U) U j k = dot (column U k) (column U j).
  by apply: total_ext => i; rewrite /adjoint /column; ring.
split=> [[orth complete]|[left right]].
  by split; apply: matrix_ext => j k; [rewrite columns orth delta_sym | exact: complete].
split=> [j k|i l]; last exact: (f_equal (fun A => A i l) right).
by rewrite -columns left /identity delta_sym.
Qed.

Lemma adjoint_unitary U : unitary U -> unitary (adjoint U).
Proof. by move=> /unitary_products [left right]; apply/unitary_products; rewrite adjoint_adjoint. Qed.

Lemma product_unitary U V : unitary U -> unitary V -> unitary (product U V).
Proof.
move=> /unitary_products [Ul Ur] /unitary_products [Vl Vr]; apply/unitary_products; rewrite adjoint_product; split.
  by rewrite product_assoc -(product_assoc _ (adjoint U)) Ul product_one.
by rewrite product_assoc -(product_assoc U) Vr product_one.
Qed.

Lemma spectral_product U a : spectral U a = product U (product (diagonal a) (adjoint U)).
Proof.
apply: matrix_ext => i l; apply: total_ext => j.
rewrite [product _ _ j l](_ : _ = (real K (a j) * adjoint U j l)%S); first by rewrite /outer /column /adjoint /=; ring.
rewrite /product (total_ext (g := fun m => delta K j m * (real K (a j) * adjoint U m l))%S) ?total_delta // => m.
by rewrite /diagonal /delta; case: (j == m); ring.
Qed.

Lemma turned_spectral W U a : turned W (spectral U a) = spectral (product W U) a.
Proof. by rewrite /turned !spectral_product adjoint_product !product_assoc. Qed.

Lemma turned_back W A : unitary W -> turned (adjoint W) (turned W A) = A.
Proof.
move=> /unitary_products [left _]; rewrite /turned adjoint_adjoint !product_assoc left one_product.
by rewrite -product_assoc left product_one.
Qed.

Lemma turned_difference W A B : turned W (difference A B) = difference (turned W A) (turned W B).
Proof.
have linear (P Q : 'I_d -> K) : total (fun j => minus (P j) (Q j)) = minus (total P) (total Q).
  rewrite (total_ext (g := fun j => plus (P j) (opposite (one K) * Q j))%S) => [|j]; last ring.
  by rewrite total_plus total_scale; ring.
apply: matrix_ext => i l; rewrite /turned /difference /product -linear; apply: total_ext => j.
rewrite (_ : minus _ _ = (W i j * minus (total (fun m => A j m * adjoint W m l)%S)
  (total (fun m => B j m * adjoint W m l)%S))%S); last ring.
by rewrite -linear; congr times; apply: total_ext => m; ring.
Qed.

(** The Frobenius norm is invariant: it is a trace. *)
Definition trace A := total (fun i => A i i).

Lemma trace_product A B : trace (product A B) = trace (product B A).
Proof. by rewrite /trace /product total_swap; apply: total_ext => j; apply: total_ext => i; ring. Qed.

Lemma frobenius2_trace A : frobenius2 A = re (trace (product A (adjoint A))).
Proof. by rewrite re_total; apply: sum_ext => i; rewrite re_total. Qed.

Lemma frobenius_invariant : invariant (@norm K d).
Proof.
move=> W A /unitary_products [left _]; rewrite /norm !frobenius2_trace /turned; congr (sqrt (re _)).
have cancel P : product (adjoint W) (product W P) = P by rewrite product_assoc left one_product.
by rewrite !adjoint_product adjoint_adjoint -!product_assoc trace_product -!product_assoc cancel left product_one.
Qed.

Lemma orbit_transitive N a : invariant N -> transitive (apart N) (orbit a).
Proof.
move=> same X Y [U [U1 ->]] [V [V1 ->]]; pose W := product V (adjoint U).
have W1 : unitary W by apply: product_unitary => //; exact: adjoint_unitary.
have stays T A : unitary T -> orbit a A -> orbit a (turned T A).
  by move=> T1 [P [P1 ->]]; exists (product T P); split; [exact: product_unitary | exact: turned_spectral].
have isometry T A B : unitary T -> apart N (turned T A) (turned T B) = apart N A B.
  by move=> T1; rewrite /apart -turned_difference same.
have back := adjoint_unitary W1.
exists (turned W), (turned (adjoint W)); split=> [A OA|].
  split; first exact: stays.
  split; first exact: stays.
  by split; [exact: turned_back | have := turned_back A back; rewrite adjoint_adjoint].
do 2 (split=> [A B|]; first exact: isometry).
rewrite turned_spectral /W -product_assoc.
by have [-> _] := (unitary_products U).1 U1; rewrite product_one.
Qed.

(* @proves MWKTV-E41 centres_of_an_orbit finite dimension, only: orbits, in any unitarily invariant norm *)
(* @proves MWKTV-E30 centres_of_an_orbit finite dimension, only: orbits, in any unitarily invariant norm *)
Theorem centres_of_an_orbit N a X Y w z n : invariant N -> orbit a X -> orbit a Y ->
  packing_number (apart N) (ball (apart N) (orbit a) X w) z n ->
  packing_number (apart N) (ball (apart N) (orbit a) Y w) z n.
Proof. by move=> same; apply: every_centre_is_alike; exact: orbit_transitive. Qed.

(* @proves MWKTV-L8.4 packing_of_an_orbit_ball finite dimension, only: orbits, in any unitarily invariant norm; where the three numbers exist *)
Theorem packing_of_an_orbit_ball N a X (delta r : R) whole balls inside : invariant N -> orbit a X ->
  packing_number (apart N) (orbit a) r whole -> covering_number (apart N) (orbit a) delta balls ->
  packing_number (apart N) (ball (apart N) (orbit a) X delta) r inside ->
  (whole <= inside * balls)%nat.
Proof. by move=> same; apply: packing_of_a_ball; exact: orbit_transitive. Qed.
End Group.
