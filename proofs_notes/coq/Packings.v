(** Packings and covers of subsets of any space with a distance, such as an orbit with a norm.

    A packing of [n] points is a function of 'I_n;
      its points are in the set and more than [z] apart.  A cover consists of
    points of the set such that each point of the set is within [z] of one.  [packing_number S z n] says that [n] is the
    largest size of a packing, [covering_number S z n] that it is the smallest of a cover;
      both exist in a totally bounded
    set.  [ball O x w] are the points of [O] within [w] of [x].  Beside proofs_notes/packing.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Space.
Variables (X : Type) (distance : X -> X -> R).
Hypothesis symmetric : forall x y, distance x y = distance y x.
Hypothesis triangle : forall x y z, distance x z <= distance x y + distance y z.
Implicit Types (S O : X -> Prop) (x y : X) (z w : R).

Definition packing S z n (p : 'I_n -> X) := (forall i, S (p i)) /\ forall i j, i <> j -> z < distance (p i) (p j).
Definition cover S z n (c : 'I_n -> X) := (forall i, S (c i)) /\ forall x, S x -> exists i, distance x (c i) <= z.
Definition packing_number S z n := (exists p : 'I_n -> X, packing S z p) /\
  forall m (p : 'I_m -> X), packing S z p -> (m <= n)%nat.
Definition covering_number S z n := (exists c : 'I_n -> X, cover S z c) /\
  forall m (c : 'I_m -> X), cover S z c -> (n <= m)%nat.
Definition ball O x w y := O y /\ distance y x <= w.

(** The number of a point of the cover that is near. *)
Lemma near_numbers S z n m (p : 'I_n -> X) (c : 'I_m -> X) : (forall i, S (p i)) -> cover S z c ->
  exists f : 'I_n -> 'I_m, forall i, distance (p i) (c (f i)) <= z.
Proof.
move=> inside [_ near].
have found i : {k | distance (p i) (c k) <= z}.
  case: (pickP (fun k => at_most (distance (p i) (c k)) z)) => [k /at_mostP le|none]; first by exists k.
  by exfalso; have [k /at_mostP le] := near (p i) (inside i); rewrite none in le.
by exists (fun i => proj1_sig (found i)) => i; case: (found i).
Qed.

Lemma packing_cover S z n m (p : 'I_n -> X) (c : 'I_m -> X) : packing S (2 * z) p -> cover S z c -> (n <= m)%nat.
Proof.
move=> [inside apart] covered; have [f near] := near_numbers inside covered.
rewrite -(card_ord n) -(card_ord m); apply: (leq_card f) => i j e; apply/eqP/negPn/negP => /eqP ij.
have := apart i j ij; have := triangle (p i) (c (f i)) (p j); have := near i; have := near j.
by rewrite (symmetric (c (f i))) -e; lra.
Qed.

Lemma maximal_packing_covers S z n (p : 'I_n -> X) : packing S z p ->
  (forall m (q : 'I_m -> X), packing S z q -> (m <= n)%nat) -> cover S z p.
Proof.
move=> [inside apart] largest; split=> // x Sx.
case: (pickP (fun k => at_most (distance x (p k)) z)) => [k /at_mostP le|none]; first by exists k.
have far k : z < distance x (p k) by move: (none k) => /at_mostP; lra.
pose q (i : 'I_n.+1) := if unlift ord0 i is Some j then p j else x.
suff : (n.+1 <= n)%nat by rewrite ltnn.
apply: (largest _ q); split=> [i|i j ij]; rewrite /q; first by case: unliftP.
case: (unliftP ord0 i) ij => [i' ->|->]; case: (unliftP ord0 j) => [j' ->|->] ij.
- by apply: apart => e; apply: ij; rewrite e.
- by rewrite symmetric.
- exact: far.
- by case: ij.
Qed.

(* @proves MWKTV-E4 packing_and_covering finite dimension, only: where the three numbers exist *)
Theorem packing_and_covering S z p2 n p1 :
  packing_number S (2 * z) p2 -> covering_number S z n -> packing_number S z p1 -> (p2 <= n)%nat /\ (n <= p1)%nat.
Proof.
move=> [[p packed] _] [[c covered] least] [[q packed'] largest]; split; first exact: packing_cover packed covered.
exact: least (maximal_packing_covers packed' largest).
Qed.

(** A group of isometries of [O] that takes every point to every other one. *)
Definition transitive O := forall x y, O x -> O y -> exists g h : X -> X,
  (forall a, O a -> O (g a) /\ O (h a) /\ h (g a) = a /\ g (h a) = a) /\
  (forall a b, distance (g a) (g b) = distance a b) /\ (forall a b, distance (h a) (h b) = distance a b) /\ g x = y.

Lemma moved_packing O x y w z n (p : 'I_n -> X) : transitive O -> O x -> O y ->
  packing (ball O x w) z p -> exists q : 'I_n -> X, packing (ball O y w) z q.
Proof.
move=> moves Ox Oy [inside apart]; have [g [h [stays [isometry [_ gx]]]]] := moves x y Ox Oy.
exists (fun i => g (p i)); split=> [i|i j ij]; last by rewrite isometry; exact: apart.
have [Opi near] := inside i; have [Og _] := stays _ Opi.
by split=> //; rewrite -gx isometry.
Qed.

(* @proves MWKTV-E41 every_centre_is_alike finite dimension, only: any set with a transitive group of isometries *)
(* @proves MWKTV-E30 every_centre_is_alike finite dimension, only: any set with a transitive group of isometries *)
Theorem every_centre_is_alike O x y w z n : transitive O -> O x -> O y ->
  packing_number (ball O x w) z n -> packing_number (ball O y w) z n.
Proof.
move=> moves Ox Oy [[p packed] largest]; split=> [|m q packed']; first exact: moved_packing packed.
by have [q' packed''] := moved_packing moves Oy Ox packed'; exact: largest packed''.
Qed.

(* @proves MWKTV-L8.4 packing_of_a_ball finite dimension, only: any set with a transitive group of isometries; where the three numbers exist *)
Theorem packing_of_a_ball O x (delta r : R) whole balls inside :
  transitive O -> O x ->
  packing_number O r whole -> covering_number O delta balls -> packing_number (ball O x delta) r inside ->
  (whole <= inside * balls)%nat.
Proof.
move=> moves Ox [[p [p_in apart]] _] [[c covered] _] [_ largest].
have [f near] := near_numbers p_in covered.
rewrite (_ : inside * balls = \sum_(k < balls) inside)%nat; last by rewrite sum_nat_const card_ord mulnC.
rewrite -{1}(card_ord whole) -sum1_card (partition_big f xpredT) //=.
apply: leq_sum => k _; rewrite sum1_card.
pose q (i : 'I_#|[pred i | f i == k]|) := p (enum_val i).
have near_k (i : 'I_#|[pred i | f i == k]|) : f (enum_val i) = k by apply/eqP; have := enum_valP i; rewrite inE.
have packed : packing (ball O (c k) delta) r q.
  split=> [i|i j ij]; first by split; [exact: p_in | rewrite -(near_k i); exact: near].
  by apply: apart => e; apply: ij; exact: enum_val_inj e.
have [q' packed'] := moved_packing moves (covered.1 k) Ox packed.
exact: largest packed'.
Qed.

(** A point [nearest] of the set [O] of the outputs that is nearest to [x]. *)
(* @proves MWKTV-E67 nearest_point finite dimension, only: the triangle inequality of the reduction; not the lower bound that is printed *)
(* @proves MWKTV-E68 nearest_point finite dimension, only: the triangle inequality of the reduction; not the lower bound that is printed *)
Theorem nearest_point O x nearest y : (forall a, O a -> distance x nearest <= distance x a) -> O y ->
  distance x nearest <= distance x y /\
  distance nearest y - distance x nearest <= distance x y /\
  distance nearest y / 2 <= distance x y.
Proof.
move=> near Oy; have first := near y Oy; have := triangle nearest x y; rewrite (symmetric nearest x); lra.
Qed.
End Space.
