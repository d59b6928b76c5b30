(** Real and complex numbers at once, vectors and matrices over them, and their inner products.

    A theorem about [K : scalars] speaks of [real_numbers] and of [complex_numbers], which end this file's first part.
    [re] is the real part, [real] the embedding of the real numbers, [abs2 x] the square of the modulus.
    A vector is a function of an index of a finite type, a matrix one of two indices: [U i j] is entry (i, j), and
    [column U j] a column.  [inner A B] is the real part of the sum of all A_ij times the conjugate of B_ij, so that
    [frobenius2 A = inner A A]; [outer x] is the matrix x x^*. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
From Coquelicot Require Complex.
Require Import Sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Record scalars := Scalars {
  element :> Type;
  zero : element; one : element;
  plus : element -> element -> element; times : element -> element -> element;
  minus : element -> element -> element; opposite : element -> element;
  conj : element -> element; re : element -> R; real : R -> element;
  ring_laws : ring_theory zero one plus times minus opposite eq;
  conj_plus : forall x y, conj (plus x y) = plus (conj x) (conj y);
  conj_times : forall x y, conj (times x y) = times (conj x) (conj y);
  conj_conj : forall x, conj (conj x) = x;
  conj_real : forall r, conj (real r) = real r;
  real_zero : real 0 = zero; real_one : real 1 = one;
  re_plus : forall x y, re (plus x y) = re x + re y;
  re_conj : forall x, re (conj x) = re x;
  re_scale : forall r x, re (times (real r) x) = r * re x;
  re_one : re one = 1;
  square_ge0 : forall x, 0 <= re (times x (conj x));
  square_eq0 : forall x, re (times x (conj x)) = 0 -> x = zero;
  square_real : forall x, times x (conj x) = real (re (times x (conj x)))
}.

Definition real_numbers : scalars.
Proof.
refine (@Scalars R 0 1 Rplus Rmult Rminus Ropp id id id RTheory _ _ _ _ _ _ _ _ _ _ _ _ _) => //=.
- by move=> x; have := pow2_ge_0 x; rewrite /= Rmult_1_r.
- by move=> x /Rsqr_0_uniq.
Defined.

Lemma complex_square x : Complex.Cmult x (Complex.Cconj x) = Complex.RtoC (x.1 ^ 2 + x.2 ^ 2).
Proof. by case: x => a b; rewrite /Complex.Cmult /Complex.Cconj /Complex.RtoC /=; congr (_, _); ring. Qed.

Definition complex_numbers : scalars.
Proof.
refine (@Scalars Complex.C (Complex.RtoC 0) (Complex.RtoC 1) Complex.Cplus Complex.Cmult Complex.Cminus Complex.Copp
  Complex.Cconj (fun x => x.1) Complex.RtoC _ _ _ _ _ _ _ _ _ _ _ _ _ _) => //.
- split=> [[a b]|[a b] [c d]|[a b] [c d] [e f]|[a b]|[a b] [c d]|[a b] [c d] [e f]|[a b] [c d] [e f]|[a b] [c d]|[a b]];
    rewrite /Complex.Cminus /Complex.Cplus /Complex.Cmult /Complex.Copp /Complex.RtoC /=; congr (_, _); ring.
- by move=> [a b] [c d]; rewrite /Complex.Cplus /Complex.Cconj /=; congr (_, _); ring.
- by move=> [a b] [c d]; rewrite /Complex.Cmult /Complex.Cconj /=; congr (_, _); ring.
- by move=> [a b]; rewrite /Complex.Cconj /= Ropp_involutive.
- by move=> r; rewrite /Complex.RtoC /Complex.Cconj /= Ropp_0.
- by move=> r [a b] /=; ring.
- by move=> x; rewrite complex_square /=; have := pow2_ge_0 x.1; have := pow2_ge_0 x.2; rewrite /=; lra.
- move=> [a b]; rewrite complex_square /= => sum0.
  have a0 := pow2_ge_0 a; have b0 := pow2_ge_0 b; rewrite /= in a0 b0.
  have [az bz] : a * a = 0 /\ b * b = 0 by lra.
  by rewrite (Rsqr_0_uniq a az) (Rsqr_0_uniq b bz).
- by move=> x; rewrite complex_square.
Defined.

Section Algebra.
Variable K : scalars.
Add Ring scalar_ring : (ring_laws K).
Notation "x + y" := (plus x y) : scalar_scope.
Notation "x * y" := (times x y) : scalar_scope.
Notation "x - y" := (minus x y) : scalar_scope.
Delimit Scope scalar_scope with S.
Implicit Types x y : K.

Lemma plus_associative : associative (@plus K). Proof. by move=> x y z; ring. Qed.
Lemma plus_zero_left : left_id (zero K) (@plus K). Proof. by move=> x; ring. Qed.
Lemma plus_zero_right : right_id (zero K) (@plus K). Proof. by move=> x; ring. Qed.
Lemma plus_commutative : commutative (@plus K). Proof. by move=> x y; ring. Qed.
Canonical plus_monoid := Monoid.Law plus_associative plus_zero_left plus_zero_right.
Canonical plus_commutative_monoid := Monoid.ComLaw plus_commutative.

Definition abs2 x := re (x * conj x)%S.
Definition delta {I : eqType} (i j : I) : K := if i == j then one K else zero K.
Definition total {I : finType} (f : I -> K) : K := \big[@plus K/zero K]_i f i.

Lemma re_zero : re (zero K) = 0.
Proof. by have := re_scale 0 (one K); rewrite real_zero => e; rewrite -[RHS](Rmult_0_l (re (one K))) -e; congr re;
  ring. Qed.

Lemma re_opposite x : re (opposite x) = - re x.
Proof. by have := re_plus x (opposite x); rewrite (_ : (x + opposite x)%S = zero K) ?re_zero; [lra | ring]. Qed.

Lemma re_minus x y : re (x - y)%S = re x - re y.
Proof. by rewrite (_ : (x - y)%S = (x + opposite y)%S) ?re_plus ?re_opposite; [lra | ring]. Qed.

Lemma re_real r : re (real K r) = r.
Proof. by have := re_scale r (one K); rewrite re_one (_ : (real K r * one K)%S = real K r); [lra | ring]. Qed.

Lemma conj_zero : conj (zero K) = zero K. Proof. by rewrite -real_zero conj_real. Qed.
Lemma conj_one : conj (one K) = one K. Proof. by rewrite -real_one conj_real. Qed.

Lemma conj_opposite x : conj (opposite x) = opposite (conj x).
Proof.
have e : (conj x + conj (opposite x))%S = zero K by rewrite -conj_plus -conj_zero; congr conj; ring.
by rewrite -[LHS](_ : (opposite (conj x) + (conj x + conj (opposite x)))%S = _); [rewrite e; ring | ring].
Qed.

Lemma conj_minus x y : conj (x - y)%S = (conj x - conj y)%S.
Proof. by rewrite (_ : (x - y)%S = (x + opposite y)%S) ?conj_plus ?conj_opposite; ring. Qed.

Lemma abs2_conj x : abs2 (conj x) = abs2 x.
Proof. by rewrite /abs2 conj_conj; congr re; ring. Qed.

Lemma abs2_zero : abs2 (zero K) = 0.
Proof. by rewrite /abs2 (_ : (zero K * _)%S = zero K) ?re_zero //; ring. Qed.

Lemma abs2_one : abs2 (one K) = 1.
Proof. by rewrite /abs2 conj_one (_ : (one K * one K)%S = one K) ?re_one //; ring. Qed.

Lemma abs2_times x y : abs2 (x * y)%S = abs2 x * abs2 y.
Proof.
rewrite /abs2 -re_scale -square_real; congr re; rewrite conj_times; ring.
Qed.

Section Totals.
Variables I J : finType.
Implicit Types f g : I -> K.

Lemma total_ext f g : (forall i, f i = g i) -> total f = total g.
Proof. by move=> e; apply: eq_bigr => i _. Qed.

Lemma total_zero : total (fun _ : I => zero K) = zero K.
Proof. by rewrite /total big1. Qed.

Lemma total_plus f g : total (fun i => f i + g i)%S = (total f + total g)%S.
Proof. exact: big_split. Qed.

Lemma total_scale x f : total (fun i => x * f i)%S = (x * total f)%S.
Proof. by apply: (big_ind2 (fun a b => a = (x * b)%S)) => [|a b c d -> ->|i _]; ring. Qed.

Lemma total_conj f : conj (total f) = total (fun i => conj (f i)).
Proof. by apply: (big_morph _ (@conj_plus K) conj_zero). Qed.

Lemma total_swap (f : I -> J -> K) : total (fun i => total (f i)) = total (fun j => total (fun i => f i j)).
Proof. exact: exchange_big. Qed.

Lemma re_total f : re (total f) = sum (fun i => re (f i)).
Proof. by apply: (big_morph _ (@re_plus K) re_zero). Qed.

Lemma total_delta f i : total (fun k => delta i k * f k)%S = f i.
Proof.
rewrite /total (bigD1 i) //= /delta eqxx big1 => [|k ki]; first ring.
by rewrite eq_sym (negPf ki); ring.
Qed.
End Totals.

(** Vectors. *)
Section Vectors.
Variable I : finType.
Implicit Types u v : I -> K.

Definition dot u v : K := total (fun i => u i * conj (v i))%S.
Definition norm2 u := sum (fun i => abs2 (u i)).

Lemma dot_self u : re (dot u u) = norm2 u.
Proof. exact: re_total. Qed.

Lemma dot_conj u v : conj (dot u v) = dot v u.
Proof. by rewrite /dot total_conj; apply: total_ext => i; rewrite conj_times conj_conj; ring. Qed.

Lemma dot_flip u v : abs2 (dot u v) = abs2 (dot v u).
Proof. by rewrite -(dot_conj v u) abs2_conj. Qed.

Lemma norm2_ge0 u : 0 <= norm2 u.
Proof. by apply: sum_ge0 => i; exact: square_ge0. Qed.
End Vectors.

(** Matrices. *)
Section Matrices.
Variables I J : finType.
Implicit Types A B C : I -> J -> K.

Definition inner A B := sum (fun i => sum (fun j => re (A i j * conj (B i j))%S)).
Definition frobenius2 A := inner A A.
Definition difference A B i j := (A i j - B i j)%S.
Definition column A j := fun i => A i j.
(** Columns of norm 1, at right angles. *)
Definition orthonormal A := forall j k, dot (column A j) (column A k) = delta j k.

Lemma inner_sym A B : inner A B = inner B A.
Proof.
apply: sum_ext => i; apply: sum_ext => j; rewrite -re_conj; congr re.
by rewrite conj_times conj_conj; ring.
Qed.

Lemma inner_difference A B C : inner (difference A B) C = inner A C - inner B C.
Proof.
rewrite -sum_sub; apply: sum_ext => i; rewrite -sum_sub; apply: sum_ext => j.
by rewrite -re_minus; congr re; rewrite /difference; ring.
Qed.

Lemma frobenius2_ge0 A : 0 <= frobenius2 A.
Proof. by apply: sum_ge0 => i; apply: sum_ge0 => j; exact: square_ge0. Qed.

Lemma frobenius2_difference A B : frobenius2 (difference A B) = frobenius2 A + frobenius2 B - 2 * inner A B.
Proof.
rewrite /frobenius2 inner_difference [inner A _]inner_sym [inner B _]inner_sym !inner_difference [inner B A]inner_sym.
ring.
Qed.

Lemma inner_real_scale r A B : inner (fun i j => real K r * A i j)%S B = r * inner A B.
Proof.
rewrite -sum_scale; apply: sum_ext => i; rewrite -sum_scale; apply: sum_ext => j.
by rewrite -re_scale; congr re; ring.
Qed.

Lemma inner_total (L : finType) (A : L -> I -> J -> K) B :
  inner (fun i j => total (fun l => A l i j)) B = sum (fun l => inner (A l) B).
Proof.
rewrite [RHS]sum_swap; apply: sum_ext => i; rewrite [RHS]sum_swap; apply: sum_ext => j.
rewrite -re_total; congr re.
rewrite (_ : (total _ * _)%S = (conj (B i j) * total (fun l => A l i j))%S); last ring.
by rewrite -total_scale; apply: total_ext => l; ring.
Qed.

Lemma frobenius2_columns A : frobenius2 A = sum (fun j => norm2 (column A j)).
Proof. exact: sum_swap. Qed.

Lemma cauchy_schwarz_inner A B : inner A B ^ 2 <= frobenius2 A * frobenius2 B.
Proof.
have a0 := frobenius2_ge0 A; have b0 := frobenius2_ge0 B.
have quadratic r s : 0 <= r ^ 2 * frobenius2 A + s ^ 2 * frobenius2 B - 2 * (r * (s * inner A B)).
  have := frobenius2_ge0 (difference (fun i j => real K r * A i j)%S (fun i j => real K s * B i j)%S).
  have scaled p q C D : inner (fun i j => real K p * C i j)%S (fun i j => real K q * D i j)%S = p * (q * inner C D).
    by rewrite inner_real_scale inner_sym inner_real_scale inner_sym.
  rewrite frobenius2_difference /frobenius2 !scaled; lra.
move: (frobenius2 A) (frobenius2 B) (inner A B) a0 b0 quadratic => a b c a0 b0 quadratic.
case: a0 => [a0|a0].
  apply: (Rmult_le_reg_l a) => //; have := quadratic c a; rewrite (_ : _ - _ = a * (a * b) - a * c ^ 2); [lra | ring].
case: b0 => [b0|b0].
  apply: (Rmult_le_reg_l b) => //; have := quadratic b c; rewrite (_ : _ - _ = b * (a * b) - b * c ^ 2); [lra | ring].
have := quadratic c 1; rewrite -a0 -b0; lra.
Qed.
End Matrices.
End Algebra.
