(** Gram-Schmidt with a positive diagonal, for real matrices: the factorization is unique and commutes with rotations.

    [V a j] is entry (a, j); [factorization V X T] says that V = X T with orthonormal columns of [X] and an upper
    triangular [T] with a positive diagonal, so that X = GS(V).  Beside "Gram-Schmidt commutes with rotations" of
    proofs_notes/power.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Columns.
Variables (I : finType) (p : nat).
Implicit Types (V X Y : I -> 'I_p -> R) (T S : 'I_p -> 'I_p -> R).

Definition orthonormal X := forall j k, sum (fun a => X a j * X a k) = if j == k then 1 else 0.
Definition factorization V X T :=
  orthonormal X /\ (forall i j : 'I_p, (j < i)%nat -> T i j = 0) /\ (forall j, 0 < T j j) /\
  forall a j, V a j = sum (fun i => X a i * T i j).

(** The entries of the triangle are inner products. *)
Lemma triangle_entry V X T i j : factorization V X T -> T i j = sum (fun a => X a i * V a j).
Proof.
move=> [X1 [_ [_ e]]].
transitivity (sum (fun k => T k j * sum (fun a => X a i * X a k))).
  rewrite (sum_one (i := i)) => [|k /nesym /eqP /negPf ik]; first by rewrite X1 eqxx; ring.
  by rewrite X1 ik Rmult_0_r.
transitivity (sum (fun k => sum (fun a => T k j * (X a i * X a k)))).
  by apply: sum_ext => k; rewrite sum_scale.
by rewrite sum_swap; apply: sum_ext => a; rewrite e -sum_scale; apply: sum_ext => k; ring.
Qed.

(** A column is its part along earlier columns and the rest. *)
Lemma column_parts V X T a j : factorization V X T ->
  V a j = T j j * X a j + sum_if (fun i : 'I_p => (i < j)%nat) (fun i => X a i * T i j).
Proof.
move=> [_ [upper [_ ->]]]; rewrite (sum_split _ j) [X a j * _]Rmult_comm; congr (_ + _).
apply: sum_ext => i; case: ltngtP => [ij|ji|/val_inj ->]; last by rewrite eqxx.
  by case: eqP => // e; rewrite e ltnn in ij.
by case: (i != j) => //; rewrite upper //; ring.
Qed.

Lemma unique V X T Y S : factorization V X T -> factorization V Y S -> forall j a, X a j = Y a j.
Proof.
move=> fx fy j; have [n] := ubnP (nat_of_ord j); elim: n j => // n IH j; rewrite ltnS => jn a.
have earlier (i : 'I_p) b : (i < j)%nat -> X b i = Y b i by move=> ij; apply: IH; exact: leq_trans ij jn.
have rest b : T j j * X b j = S j j * Y b j.
  have := column_parts b j fx; rewrite (column_parts b j fy).
  rewrite (_ : sum_if _ (fun i => Y b i * S i j) = sum_if (fun i : 'I_p => (i < j)%nat) (fun i => X b i * T i j));
    first lra.
  apply: sum_ext => i; case: ltnP => // ij; rewrite (earlier i b ij) (triangle_entry i j fx) (triangle_entry i j fy).
  by congr (_ * _); apply: sum_ext => c; rewrite (earlier i c ij).
have [X1 [_ [T0 _]]] := fx; have [Y1 [_ [S0 _]]] := fy.
have squares : T j j ^ 2 = S j j ^ 2.
  have sx := X1 j j; have sy := Y1 j j; rewrite eqxx in sx; rewrite eqxx in sy.
  rewrite -[T j j ^ 2]Rmult_1_r -[S j j ^ 2]Rmult_1_r -{1}sx -sy -!sum_scale; apply: sum_ext => b.
  by have := rest b; rewrite (_ : T j j ^ 2 * _ = (T j j * X b j) * (T j j * X b j)); [move=> ->; ring | ring].
have same : T j j = S j j by have := T0 j; have := S0 j; rewrite -!Rsqr_pow2 in squares; move=> ? ?;
  apply: Rsqr_inj; lra.
apply: (Rmult_eq_reg_l (T j j)); last by have := T0 j; lra.
by rewrite rest same.
Qed.
End Columns.

Definition rotated {I : finType} {p : nat} (O : I -> I -> R) (V : I -> 'I_p -> R) a j := sum (fun b => O a b * V b j).
Definition orthogonal {I : finType} (O : I -> I ->
  R) := forall b c, sum (fun a => O a b * O a c) = if b == c then 1 else 0.

Lemma rotated_inner (I : finType) p (O : I -> I -> R) (X : I -> 'I_p -> R) j k : orthogonal O ->
  sum (fun a => rotated O X a j * rotated O X a k) = sum (fun b => X b j * X b k).
Proof.
move=> O1.
transitivity (sum (fun a => sum (fun b => sum (fun c => X b j * X c k * (O a b * O a c))))).
  apply: sum_ext => a; rewrite /rotated sum_mult; apply: sum_ext => b; apply: sum_ext => c; ring.
rewrite sum_swap; apply: sum_ext => b; rewrite sum_swap.
rewrite (sum_one (i := b)) => [|c /nesym /eqP /negPf bc]; rewrite sum_scale O1 ?eqxx ?bc; ring.
Qed.

(* @proves HP-L4.11 gram_schmidt_rotates real, decompositions given *)
Theorem gram_schmidt_rotates (I : finType) p (O : I -> I -> R) (V X : I -> 'I_p -> R) T : orthogonal O ->
  factorization V X T ->
  factorization (rotated O V) (rotated O X) T /\
  (forall Y S, factorization (rotated O V) Y S -> forall a j, Y a j = rotated O X a j).
Proof.
move=> O1 fx; have [X1 [upper [T0 e]]] := fx.
have turned : factorization (rotated O V) (rotated O X) T.
  split=> [j k|]; first by rewrite rotated_inner.
  split=> //; split=> // a j; rewrite /rotated.
  transitivity (sum (fun b => sum (fun i => O a b * X b i * T i j))).
    by apply: sum_ext => b; rewrite e -sum_scale; apply: sum_ext => i; ring.
  rewrite sum_swap; apply: sum_ext => i; rewrite Rmult_comm -sum_scale; apply: sum_ext => b; ring.
by split=> // Y S fy a j; exact: unique fy turned j a.
Qed.
