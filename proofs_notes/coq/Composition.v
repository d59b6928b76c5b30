(** Several outputs of unequal epsilons and deltas, each chosen by the outputs before it.

    [step past] is the law of the next output after those of [past], [other] the same on a neighbour; output number [i]
    is private with [epsilon i] and [delta i], whatever came before.  Beside "Unequal outputs" of
    proofs_notes/privacy.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Privacy.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

(** The sum of the values of [f] at [first], ..., [first + n - 1]. *)
Fixpoint total (f : nat -> R) first n := if n is n'.+1 then f first + total f first.+1 n' else 0.

Lemma total_ge0 f first n : (forall i, 0 <= f i) -> 0 <= total f first n.
Proof. by move=> f0; elim: n first => [|n IH] first /=; [lra | have := IH first.+1; have := f0 first; lra]. Qed.

(* @proves DPS-COMPOSE unequal_sums finite outcomes, only: the sums; not the optimum, nor numbers chosen on the way *)
Theorem unequal_sums (Y : finType) (epsilon delta : nat -> R) (step other : seq Y -> Y -> R) n :
  (forall past, is_law (step past)) -> (forall past, is_law (other past)) -> (forall i, 0 <= delta i) ->
  (forall past, private (epsilon (size past)) (delta (size past)) (step past) (other past)) ->
  private (total epsilon 0 n) (total delta 0 n) (@transcript Y step n [::]) (@transcript Y other n [::]).
Proof.
move=> laws other_laws d0 each; rewrite -[0%nat]/(size (@nil Y)); elim: n [::] => [|n IH] past; last first.
  rewrite /=; apply: composition => [|||||y|] //; try by [move=> y; exact: transcript_law].
    by have := IH (rcons past y); rewrite size_rcons.
  exact: total_ge0.
by move=> event; rewrite /= exp_0; lra.
Qed.
