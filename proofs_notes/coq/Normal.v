(** The standard normal distribution.

    [cdf] is defined by an integral over a bounded interval, which [interval] can enclose.  That it is the distribution
    function of the density [bell / sqrt (2 PI)] is proved here: [cdf_derive], [cdf_at_minus_infinity] and
    [cdf_at_infinity], the total mass.

    The mass is found without polar coordinates.  [half x] is the integral of exp (-t^2 / 2) over [0, x], and [rest x]
    that of exp (-x^2 (1 + s^2) / 2) / (1 + s^2) over s in [0, 1].  The derivative of half^2 + 2 rest is 0, as [slope]
    shows by t = x s; its value at 0 is 2 atan 1 = PI / 2; and [rest] tends to 0. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition bell (t : R) : R := exp (- (t * t) / 2).

Definition cdf (x : R) : R := 1 / 2 + RInt bell 0 x / sqrt (2 * PI).

Local Lemma bell_continuous (t : R) : continuous bell t.
Proof. apply (ex_derive_continuous bell). unfold bell. now auto_derive. Qed.

Local Lemma bell_integrable (a b : R) : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous bell). intros t _. apply bell_continuous. Qed.

Local Definition half (x : R) : R := RInt bell 0 x.

Local Lemma half_derive (x : R) : is_derive half x (bell x).
Proof.
  apply (is_derive_RInt bell half 0); [|apply bell_continuous].
  apply filter_forall. intros y. apply (@RInt_correct R_CompleteNormedModule), bell_integrable.
Qed.

Local Definition under (x s : R) : R := exp (- (x * x * (1 + s * s)) / 2) / (1 + s * s).

Local Lemma above_0 (s : R) : 0 < 1 + s * s.
Proof. nra. Qed.

Local Lemma under_derive (s x : R) : is_derive (fun u => under u s) x (- x * (bell x * bell (x * s))).
Proof.
  unfold under, bell. pose proof (above_0 s). auto_derive; [lra|].
  rewrite <- exp_plus.
  replace (- (x * x) / 2 + - (x * s * (x * s)) / 2) with (- (x * x * (1 + s * s)) * / 2) by field.
  field. lra.
Qed.

Local Lemma under_integrable (x : R) : ex_RInt (under x) 0 1.
Proof.
  apply (ex_RInt_continuous (under x)). intros s _. apply (ex_derive_continuous (under x)).
  unfold under. pose proof (above_0 s). auto_derive. lra.
Qed.

Local Definition rest (x : R) : R := RInt (under x) 0 1.

Local Lemma slope (x : R) : RInt (fun s => - x * (bell x * bell (x * s))) 0 1 = - bell x * half x.
Proof.
  assert (scaled : RInt (fun s => x * bell (x * s + 0)) 0 1 = half x).
  { transitivity (RInt bell (x * 0 + 0) (x * 1 + 0)).
    - apply (RInt_comp_lin bell). apply bell_integrable.
    - unfold half. f_equal; ring. }
  rewrite <- scaled. symmetry.
  transitivity (RInt (fun s => scal (- bell x) (x * bell (x * s + 0))) 0 1).
  - symmetry. apply (RInt_scal (fun s => x * bell (x * s + 0))). apply (ex_RInt_comp_lin bell), bell_integrable.
  - apply RInt_ext. intros s _. unfold scal; simpl; unfold mult; simpl. rewrite Rplus_0_r. ring.
Qed.

Local Lemma rest_derive (x : R) : is_derive rest x (- bell x * half x).
Proof.
  rewrite <- slope.
  rewrite <- (RInt_ext (fun s => Derive (fun u => under u s) x)).
  2: { intros s _. apply is_derive_unique, under_derive. }
  apply (is_derive_RInt_param under 0 1 x).
  - apply filter_forall. intros y s _. eexists. apply under_derive.
  - intros s _.
    apply continuity_2d_pt_ext with (fun u v => - u * (bell u * bell (u * v))).
    { intros u v. symmetry. apply is_derive_unique, under_derive. }
    assert (one : forall f : R -> R -> R, (forall u v, continuity_2d_pt f u v) ->
                  forall u v, continuity_2d_pt (fun u v => bell (f u v)) u v).
    { intros f cont u v. apply (continuity_1d_2d_pt_comp bell f); [|apply cont].
      apply continuity_pt_filterlim, bell_continuous. }
    apply continuity_2d_pt_mult; [apply continuity_2d_pt_opp, continuity_2d_pt_id1|].
    apply continuity_2d_pt_mult.
    + apply (one (fun u _ => u)). intros. apply continuity_2d_pt_id1.
    + apply (one (fun u v => u * v)). intros.
      apply continuity_2d_pt_mult; [apply continuity_2d_pt_id1 | apply continuity_2d_pt_id2].
  - apply filter_forall. intros y. apply under_integrable.
Qed.

Local Lemma rest_at_0 : rest 0 = PI / 4.
Proof.
  rewrite <- atan_1. replace (atan 1) with (minus (atan 1) (atan 0)).
  2: { rewrite atan_0. unfold minus, plus, opp; simpl. ring. }
  apply is_RInt_unique, (is_RInt_derive atan).
  - intros s _. unfold under. pose proof (above_0 s).
    replace (exp (- (0 * 0 * (1 + s * s)) / 2)) with 1.
    2: { replace (- (0 * 0 * (1 + s * s)) / 2) with 0 by field. now rewrite exp_0. }
    apply is_derive_Reals. replace (s * s) with (s ^ 2) by ring.
    replace (1 / (1 + s ^ 2)) with (/ (1 + s ^ 2)) by (field; nra). apply derivable_pt_lim_atan.
  - intros s _. apply (ex_derive_continuous (under 0)). unfold under. pose proof (above_0 s). auto_derive. lra.
Qed.

(** half^2 + 2 rest is constant. *)
Local Lemma square (x : R) : half x * half x = PI / 2 - 2 * rest x.
Proof.
  set (f x := half x * half x + 2 * rest x).
  assert (constant : f x = f 0).
  { destruct (MVT_gen f 0 x (fun _ => 0)) as (c & _ & same).
    - intros y _. unfold f.
      replace 0 with (plus (plus (mult (bell y) (half y)) (mult (half y) (bell y))) (scal 2 (- bell y * half y))).
      2: { unfold plus, mult, scal; simpl; unfold mult; simpl. ring. }
      apply (is_derive_plus (fun x => half x * half x) (fun x => 2 * rest x)).
      + apply (is_derive_mult half half); [apply half_derive | apply half_derive | intros; apply Rmult_comm].
      + apply (is_derive_scal rest). apply rest_derive.
    - intros y _. apply continuity_pt_filterlim. apply (ex_derive_continuous f). unfold f.
      apply (ex_derive_plus (fun x => half x * half x) (fun x => 2 * rest x)).
      + apply (ex_derive_mult half half); eexists; apply half_derive.
      + apply (ex_derive_scal rest). eexists; apply rest_derive.
    - lra. }
  unfold f in constant. rewrite rest_at_0 in constant.
  replace (half 0) with 0 in constant by (symmetry; apply (RInt_point 0 bell)). lra.
Qed.

Local Lemma rest_small (x : R) : 0 <= rest x <= bell x.
Proof.
  split.
  - apply (RInt_ge_0 (under x) 0 1); [apply Rle_0_1 | apply under_integrable |].
    intros s _. unfold under. pose proof (above_0 s).
    apply Rlt_le, Rdiv_lt_0_compat; [apply exp_pos | assumption].
  - replace (bell x) with (RInt (fun _ => bell x) 0 1).
    2: { rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring. }
    apply (RInt_le (under x) (fun _ => bell x) 0 1); [apply Rle_0_1 | apply under_integrable | apply ex_RInt_const |].
    intros s _. unfold under, bell. pose proof (above_0 s).
    apply Rmult_le_reg_r with (1 + s * s); [assumption|].
    replace (exp (- (x * x * (1 + s * s)) / 2) / (1 + s * s) * (1 + s * s)) with (exp (- (x * x * (1 + s * s)) / 2))
      by (field; lra).
    apply Rle_trans with (exp (- (x * x) / 2)).
    + apply Rnot_lt_le. intros less. apply exp_lt_inv in less. nra.
    + pose proof (exp_pos (- (x * x) / 2)). nra.
Qed.

Local Lemma bell_vanishes : is_lim bell p_infty 0.
Proof.
  apply (is_lim_comp exp (fun x => - (x * x) / 2) p_infty 0 m_infty is_lim_exp_m).
  - apply is_lim_spec. intros bound. exists (1 + 2 * Rabs bound). intros x large.
    pose proof (Rle_abs (- bound)). rewrite Rabs_Ropp in H. pose proof (Rabs_pos bound). nra.
  - exists 0. discriminate.
Qed.

Local Lemma half_limit : is_lim half p_infty (sqrt (PI / 2)).
Proof.
  apply is_lim_ext_loc with (fun x => sqrt (PI / 2 - 2 * rest x)).
  { exists 0. intros x x_above_0. rewrite <- square. apply sqrt_square.
    apply RInt_ge_0; [lra | apply bell_integrable | intros t _; apply Rlt_le, exp_pos]. }
  apply (is_lim_comp_continuous (fun x => PI / 2 - 2 * rest x) sqrt p_infty (PI / 2)).
  - replace (Finite (PI / 2)) with (Finite (PI / 2 - 2 * 0)) by (f_equal; ring).
    apply is_lim_minus'; [apply is_lim_const|].
    apply (is_lim_scal_l rest 2 p_infty 0).
    apply (is_lim_le_le_loc (fun _ => 0) bell); [|apply is_lim_const | apply bell_vanishes].
    exists 0. intros x _. apply rest_small.
  - apply continuous_sqrt.
Qed.

(** The total mass is 1. *)
Theorem cdf_at_infinity : is_lim cdf p_infty 1.
Proof.
  assert (root : sqrt (2 * PI) = 2 * sqrt (PI / 2)).
  { pose proof PI_RGT_0. replace (2 * PI) with (2 * 2 * (PI / 2)) by field.
    rewrite sqrt_mult, sqrt_square; lra. }
  assert (0 < sqrt (PI / 2)) by (pose proof PI_RGT_0; apply sqrt_lt_R0; lra).
  replace (Finite 1) with (Finite (1 / 2 + / sqrt (2 * PI) * sqrt (PI / 2))) by (f_equal; rewrite root; field; lra).
  apply is_lim_ext with (fun x => 1 / 2 + / sqrt (2 * PI) * half x).
  { intros x. unfold cdf, half. field. rewrite root. lra. }
  apply is_lim_plus'; [apply is_lim_const|].
  apply (is_lim_scal_l half (/ sqrt (2 * PI)) p_infty (sqrt (PI / 2))), half_limit.
Qed.

Lemma cdf_symmetric (x : R) : cdf (- x) = 1 - cdf x.
Proof.
  enough (half (- x) = - half x) as odd.
  { unfold cdf. fold (half (- x)) (half x). rewrite odd. field. apply Rgt_not_eq, sqrt_lt_R0.
    pose proof PI_RGT_0. lra. }
  unfold half. transitivity (RInt bell (-1 * 0 + 0) (-1 * x + 0)); [f_equal; ring|].
  rewrite <- (RInt_comp_lin bell (-1) 0 0 x) by apply bell_integrable.
  transitivity (RInt (fun y => opp (bell y)) 0 x).
  - apply RInt_ext. intros y _. unfold bell, scal, opp; simpl; unfold mult; simpl.
    replace (- ((-1 * y + 0) * (-1 * y + 0)) / 2) with (- (y * y) / 2) by field. ring.
  - apply (RInt_opp bell). apply bell_integrable.
Qed.

Theorem cdf_at_minus_infinity : is_lim cdf m_infty 0.
Proof.
  apply is_lim_ext with (fun x => 1 - cdf (- x)); [intros x; rewrite cdf_symmetric; ring|].
  replace (Finite 0) with (Finite (1 - 1)) by (f_equal; ring).
  apply is_lim_minus'; [apply is_lim_const|].
  apply (is_lim_comp cdf Ropp m_infty 1 p_infty cdf_at_infinity).
  - apply is_lim_spec. intros bound. exists (- bound). intros x small. lra.
  - exists 0. discriminate.
Qed.

Theorem cdf_derive (x : R) : is_derive cdf x (bell x / sqrt (2 * PI)).
Proof.
  unfold cdf. replace (bell x / sqrt (2 * PI)) with (0 + / sqrt (2 * PI) * bell x) by (unfold Rdiv; ring).
  apply is_derive_ext with (fun x => 1 / 2 + / sqrt (2 * PI) * half x).
  { intros y. apply (f_equal (Rplus (1 / 2))), Rmult_comm. }
  apply (is_derive_plus (fun _ => 1 / 2) (fun x => / sqrt (2 * PI) * half x)).
  - exact (@is_derive_const R_AbsRing R_NormedModule (1 / 2) x).
  - apply (is_derive_scal half), half_derive.
Qed.
