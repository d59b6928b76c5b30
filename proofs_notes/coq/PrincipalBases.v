(** Bases of two subspaces in principal position, real and complex.

    [U] and [V] have orthonormal columns, k = #|J| of them, and U^* V is the diagonal matrix of the cosines [cosine j].
    [range_projector U] is U U^*; [aligned V U E] is V (U^* E), for the first k axes [E] of the notes, of which only is
    used that they are an orthonormal basis of the range of [U].  Beside "Principal bases" to "Aligned basis
    assembled" of proofs_notes/perturbation.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
Require Import Sums Scalars Orbit.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Bases.
Variables (K : scalars) (I J : finType).
Add Ring scalar_ring_of_bases : (ring_laws K).
Notation "x + y" := (plus x y) : scalar_scope.
Notation "x * y" := (times x y) : scalar_scope.
Notation "x - y" := (minus x y) : scalar_scope.
Delimit Scope scalar_scope with S.
Implicit Types (U V E : I -> J -> K).

Definition range_projector U i l := total (fun j => outer (column U j) i l).
Definition principal U V (cosine : J -> R) :=
  orthonormal U /\ orthonormal V /\ (forall j, 0 <= cosine j <= 1) /\
  forall j l, dot (column V l) (column U j) = if j == l then real K (cosine j) else zero K.
Definition frobenius {L M : finType} (A : L -> M -> K) := sqrt (frobenius2 A).

Lemma frobenius2_orthonormal U : orthonormal U -> frobenius2 U = INR #|J|.
Proof.
move=> U1; rewrite frobenius2_columns -[RHS]Rmult_1_r -sum_const; apply: sum_ext => j.
by rewrite -dot_self U1 /delta eqxx re_one.
Qed.

Lemma inner_columns U V : inner U V = sum (fun j => re (dot (column U j) (column V j))).
Proof. by rewrite [LHS]sum_swap; apply: sum_ext => j; rewrite re_total. Qed.

Lemma inner_projectors U V :
  inner (range_projector U) (range_projector V) = sum (fun j => sum (fun l => abs2 (dot (column U j) (column V l)))).
Proof.
rewrite inner_total; apply: sum_ext => j; rewrite inner_sym inner_total; apply: sum_ext => l.
by rewrite inner_outer dot_flip.
Qed.

Lemma frobenius2_projector U : orthonormal U -> frobenius2 (range_projector U) = INR #|J|.
Proof.
move=> U1; rewrite /frobenius2 inner_projectors -[RHS]Rmult_1_r -sum_const; apply: sum_ext => j.
rewrite (sum_one (i := j)) => [|l /nesym /eqP /negPf jl]; first by rewrite U1 /delta eqxx abs2_one.
by rewrite U1 /delta jl abs2_zero.
Qed.

Lemma abs2_real r : abs2 (real K r) = r ^ 2.
Proof. by rewrite /abs2 conj_real re_scale re_real; ring. Qed.

Section Principal.
Variables (U V : I -> J -> K) (cosine : J -> R).
Hypothesis position : principal U V cosine.

Lemma bases_distance : frobenius2 (difference U V) = 2 * INR #|J| - 2 * sum cosine.
Proof.
have [U1 [V1 [_ e]]] := position.
rewrite frobenius2_difference !frobenius2_orthonormal // (_ : inner U V = sum cosine); first ring.
rewrite inner_columns; apply: sum_ext => j; rewrite -re_conj dot_conj e eqxx; exact: re_real.
Qed.

Lemma projectors_distance2 :
  frobenius2 (difference (range_projector V) (range_projector U)) = 2 * INR #|J| - 2 * sum (fun j => cosine j ^ 2).
Proof.
have [U1 [V1 [_ e]]] := position.
rewrite frobenius2_difference !frobenius2_projector // (_ : inner _ _ = sum (fun j => cosine j ^ 2)); first ring.
rewrite inner_sym inner_projectors; apply: sum_ext => j.
rewrite (sum_one (i := j)) => [|l /nesym /eqP /negPf jl]; rewrite dot_flip e.
  by rewrite eqxx abs2_real.
by rewrite jl abs2_zero.
Qed.

Lemma squares_below j : cosine j ^ 2 <= cosine j.
Proof.
have [_ [_ [c01 _]]] := position; have [c0 c1] := c01 j.
by rewrite /= Rmult_1_r -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l.
Qed.

(* @proves MWKTV-E25 distance_by_cosines finite dimension, decompositions given *)
Theorem distance_by_cosines : frobenius2 (difference U V) = 2 * INR #|J| - 2 * sum cosine.
Proof. exact: bases_distance. Qed.

(* @proves MWKTV-E26 distance_by_squared_cosines finite dimension, decompositions given *)
Theorem distance_by_squared_cosines :
  frobenius2 (difference (range_projector V) (range_projector U)) = 2 * INR #|J| - 2 * sum (fun j => cosine j ^ 2) /\
  2 * INR #|J| - 2 * sum cosine <= 2 * INR #|J| - 2 * sum (fun j => cosine j ^ 2).
Proof.
split; first exact: projectors_distance2.
have : sum (fun j => cosine j ^ 2) <= sum cosine by apply: sum_le => j; exact: squares_below.
lra.
Qed.

Lemma closer : frobenius (difference U V) <= frobenius (difference (range_projector V) (range_projector U)).
Proof.
apply: sqrt_le_1_alt; rewrite bases_distance; have [-> le] := distance_by_squared_cosines; exact: le.
Qed.

(* @proves MWKTV-E27 closer_than_projectors finite dimension, decompositions given *)
Theorem closer_than_projectors :
  frobenius (difference U V) <= frobenius (difference (range_projector V) (range_projector U)) /\
  (frobenius (difference U V) = frobenius (difference (range_projector V) (range_projector U)) <->
    forall j, cosine j = 0 \/ cosine j = 1).
Proof.
split; first exact: closer.
rewrite /frobenius bases_distance projectors_distance2; split=> [e j|ends].
  have left0 : 0 <= 2 * INR #|J| - 2 * sum cosine by rewrite -bases_distance; exact: frobenius2_ge0.
  have right0 : 0 <= 2 * INR #|J| - 2 * sum (fun j => cosine j ^ 2).
    by rewrite -projectors_distance2; exact: frobenius2_ge0.
  have same := sqrt_inj _ _ left0 right0 e.
  have zero : sum (fun j => cosine j - cosine j ^ 2) = 0 by rewrite sum_sub; lra.
  have pos k : 0 <= cosine k - cosine k ^ 2 by have := squares_below k; lra.
  have := sum_eq0 j pos zero.
  rewrite (_ : cosine j - cosine j ^ 2 = cosine j * (1 - cosine j)); last ring.
  by case/Rmult_integral; [left | right; lra].
congr (sqrt (_ - 2 * _)); apply: sum_ext => j; case: (ends j) => ->; ring.
Qed.

(** The aligned basis. *)
Variable E : I -> J -> K.
Hypothesis E1 : orthonormal E.
Hypothesis same_range : forall i l, range_projector E i l = range_projector U i l.

Definition rotation j l := dot (column E l) (column U j).
Definition aligned i l := total (fun j => V i j * rotation j l)%S.

Lemma projected W x i : total (fun l => range_projector W i l * x l)%S = total (fun j => W i j * dot x (column W j))%S.
Proof.
transitivity (total (fun l => total (fun j => W i j * (x l * conj (W l j)))%S)).
  apply: total_ext => l; rewrite (_ : (range_projector W i l * x l)%S = (x l * range_projector W i l)%S); last ring.
  by rewrite -total_scale; apply: total_ext => j; rewrite /outer /column; ring.
by rewrite total_swap; apply: total_ext => j; rewrite total_scale.
Qed.

Lemma axes_by_U i l : E i l = total (fun j => U i j * rotation j l)%S.
Proof.
rewrite -(projected U (column E l)) -(total_ext (f := fun m => range_projector E i m * column E l m)%S); last first.
  by move=> m; rewrite same_range.
rewrite projected (total_ext (g := fun j => delta K l j * E i j)%S) ?total_delta // => j.
by rewrite E1; ring.
Qed.

Lemma rotation_rows j k : total (fun l => rotation j l * conj (rotation k l))%S = delta K j k.
Proof.
have [U1 _] := position.
transitivity (total (fun i => conj (U i j) * total (fun m => range_projector E i m * U m k)%S)%S).
  transitivity (total (fun i => conj (U i j) * total (fun l => E i l * dot (column U k) (column E l))%S)%S).
    transitivity (total (fun i => total (fun l => (conj (U i j) * E i l) * dot (column U k) (column E l))%S)).
      rewrite total_swap; apply: total_ext => l; rewrite /rotation dot_conj.
      rewrite (_ : (dot (column E l) (column U j) * _)%S =
        (dot (column U k) (column E l) * dot (column E l) (column U j))%S);
        last ring.
      by rewrite {2}/dot -total_scale; apply: total_ext => i; rewrite /column; ring.
    by apply: total_ext => i; rewrite -total_scale; apply: total_ext => l; ring.
  by apply: total_ext => i; rewrite -projected.
transitivity (total (fun i => conj (U i j) * U i k)%S).
  apply: total_ext => i; congr times; rewrite (total_ext (g :=
    fun m => range_projector U i m * column U k m)%S) => [|m].
    rewrite projected (total_ext (g := fun l => delta K k l * U i l)%S) ?total_delta // => l.
    by rewrite U1; ring.
  by rewrite same_range.
rewrite (total_ext (g := fun i => column U k i * conj (column U j i))%S) => [|i]; last by rewrite /column; ring.
by rewrite -/(dot _ _) U1 /delta eq_sym.
Qed.

Lemma aligned_distance : frobenius2 (difference aligned E) = frobenius2 (difference V U).
Proof.
apply: sum_ext => i; pose x j := (V i j - U i j)%S.
have entry l : difference aligned E i l = total (fun j => x j * rotation j l)%S.
  rewrite /difference /aligned axes_by_U.
  rewrite (total_ext (f := fun j => (x j * rotation j l)%S)
    (g := fun j => (V i j * rotation j l + opposite (one K) * (U i j * rotation j l))%S));
    last by move=> j; rewrite /x; ring.
  by rewrite total_plus total_scale; ring.
rewrite -!re_total; congr re.
transitivity (total (fun l => total (fun j => total (fun k => (x j * conj (x k))
  * (rotation j l * conj (rotation k l)))))%S).
  apply: total_ext => l; rewrite entry total_conj.
  rewrite (_ : (total _ * total _)%S = (total (fun k => conj (x k * rotation k l))
    * total (fun j => x j * rotation j l))%S);
    last ring.
  rewrite -total_scale; apply: total_ext => j.
  rewrite (_ : (total _ * (x j * rotation j l))%S =
    ((x j * rotation j l) * total (fun k => conj (x k * rotation k l)))%S);
    last ring.
  by rewrite -total_scale; apply: total_ext => k; rewrite conj_times; ring.
rewrite total_swap; apply: total_ext => j; rewrite total_swap.
rewrite (total_ext (g := fun k => delta K j k * (x j * conj (x k)))%S) ?total_delta // => k.
by rewrite total_scale rotation_rows; ring.
Qed.

(* @proves MWKTV-E28 invariance finite dimension, decompositions given *)
Theorem invariance : frobenius (difference aligned E) = frobenius (difference V U).
Proof. by rewrite /frobenius aligned_distance. Qed.

(* @proves MWKTV-E29 aligned_basis finite dimension, decompositions given *)
Theorem aligned_basis :
  frobenius2 (difference aligned E) = 2 * sum (fun j => 1 - cosine j) /\
  2 * sum (fun j => 1 - cosine j) <= frobenius2 (difference (range_projector V) (range_projector E)).
Proof.
have swap (A B : I -> J -> K) : frobenius2 (difference A B) = frobenius2 (difference B A).
  by rewrite !frobenius2_difference [inner B A]inner_sym; ring.
have sums : 2 * sum (fun j => 1 - cosine j) = 2 * INR #|J| - 2 * sum cosine by rewrite sum_sub sum_const; ring.
have same : frobenius2 (difference (range_projector V) (range_projector E)) =
    frobenius2 (difference (range_projector V) (range_projector U)).
  by apply: sum_ext => i; apply: sum_ext => l; rewrite /difference same_range.
rewrite sums same; split; first by rewrite aligned_distance swap bases_distance.
by have [-> le] := distance_by_squared_cosines.
Qed.
End Principal.
End Bases.
