(** A round of the private power method does not commute with rotations, as printed: the noise is scaled by the largest
    entry of the iterate, which a rotation changes.

    Two dimensions, one column, one round.  Beside "Rotated noise" of proofs_notes/power.md. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition vector : Type := R * R.
Definition matrix : Type := vector * vector.
Definition dot (x y : vector) : R := fst x * fst y + snd x * snd y.
Definition times (A : matrix) (x : vector) : vector := (dot (fst A) x, dot (snd A) x).
Definition largest (x : vector) : R := Rmax (Rabs (fst x)) (Rabs (snd x)).
Definition normalised (x : vector) : vector := (fst x / sqrt (dot x x), snd x / sqrt (dot x x)).
(** One round: from the iterate [x], with the noise [N]. *)
Definition noisy (A : matrix) (x N : vector) : vector :=
  (fst (times A x) + largest x * fst N, snd (times A x) + largest x * snd N).
Definition round (A : matrix) (x N : vector) : vector := normalised (noisy A x N).

Definition printed_rotation : Prop := forall (A O : matrix) (x N : vector),
  snd (fst A) = fst (snd A) -> dot (fst O) (fst O) = 1 -> dot (snd O) (snd O) = 1 -> dot (fst O) (snd O) = 0 ->
  (forall y, times A (times O y) = times O (times A y)) -> dot x x = 1 ->
  round A (times O x) (times O N) = times O (round A x N).

(* @refutes HP-L4.12 rotation_refuted real, only: two dimensions, one round *)
Theorem rotation_refuted : ~ printed_rotation.
Proof.
  intros all.
  set (A := ((17 / 25, 6 / 25), (6 / 25, 41 / 50))). set (O := ((- 7 / 25, 24 / 25), (24 / 25, 7 / 25))).
  assert (same : round A (times O (1, 0)) (times O (0, 1)) = times O (round A (1, 0) (0, 1))).
  { apply all; unfold A, O, dot, times; simpl; try field.
    intros [y z]. unfold dot. simpl. f_equal; field. }
  assert (one : largest (1, 0) = 1) by (unfold largest; simpl; rewrite Rabs_R1, Rabs_R0; apply Rmax_left; lra).
  assert (less : largest (times O (1, 0)) = 24 / 25).
  { unfold largest, times, dot, O. simpl.
    replace (- 7 / 25 * 1 + 24 / 25 * 0) with (- (7 / 25)) by field.
    replace (24 / 25 * 1 + 7 / 25 * 0) with (24 / 25) by field.
    rewrite Rabs_Ropp, !Rabs_pos_eq by lra. apply Rmax_right. lra. }
  unfold round, normalised, noisy in same. rewrite one, less in same.
  injection same as first second. revert first second.
  unfold dot, times, A, O; simpl; unfold dot, Rdiv; simpl.
  set (p := / sqrt _). set (q := / sqrt _). intros first second.
  assert (0 < p) by (apply Rinv_0_lt_compat, sqrt_lt_R0; lra). lra.
Qed.
