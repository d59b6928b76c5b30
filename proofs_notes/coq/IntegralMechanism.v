(** The exponential mechanism on any space of outcomes, and on an orbit: its privacy.

    [integral f] is the integral of [f] over the base law, of which only this is used: it is monotone and homogeneous
    for the functions of a class.  [charged x] says that the outcome [x] counts: what happens at the others changes no
    integral.  The mechanism has the density [exp (kappa * score x) / Z score].
    Beside "Exponential mechanism" of proofs_notes/privacy.md, and "Exact accounting on the orbit" and "The orbit
    mechanism as printed" of proofs_notes/privacy_spectral.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra Ring.
From Coquelicot Require Import Coquelicot.
Require Import Sums Scalars Orbit.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Mechanism.
Variables (T : Type) (charged : T -> Prop) (class : (T -> R) -> Prop) (integral : (T -> R) -> R).
Implicit Types (f g score other : T -> R) (event : T -> bool).

Definition integral_like :=
  (forall f g, class f -> class g -> (forall x, charged x -> f x <= g x) -> integral f <= integral g) /\
  (forall c f, 0 <= c -> class f -> class (fun x => c * f x) /\ integral (fun x => c * f x) = c * integral f).
Definition part event f x := if event x then f x else 0.
(** The event has a probability under both of two densities. *)
Definition measured event f g := class (part event f) /\ class (part event g).
Definition supremum f s := (forall x, charged x -> f x <= s) /\ forall b, (forall x, charged x -> f x <= b) -> s <= b.
Definition infimum f s := (forall x, charged x -> s <= f x) /\ forall b, (forall x, charged x -> b <= f x) -> b <= s.

Hypothesis like : integral_like.

Lemma event_le event f g c : 0 <= c -> measured event f g -> (forall x, charged x -> f x <= c * g x) ->
  integral (part event f) <= c * integral (part event g).
Proof.
move=> c0 [cf cg] le; have [monotone homogeneous] := like; have [ccg <-] := homogeneous c _ c0 cg.
by apply: monotone => // x x0; rewrite /part; case: (event x); [exact: le | lra].
Qed.

Section Scores.
Variable kappa : R.
Hypothesis kappa_ge0 : 0 <= kappa.

Definition weight score x := exp (kappa * score x).
Definition Z score := integral (weight score).
Definition density score x := weight score x / Z score.
(** The mechanism exists. *)
Definition normalised score := class (weight score) /\ 0 < Z score.

Section Privacy.
Variables (score other : T -> R) (lo hi : R).
Hypothesis score1 : normalised score.
Hypothesis other1 : normalised other.
Hypothesis change : forall x, charged x -> lo <= other x - score x <= hi.

Definition shift := ln (Z other / Z score).

Lemma density_gt0 x : 0 < density score x.
Proof. by apply: Rdiv_lt_0_compat; [exact: exp_pos | case: score1]. Qed.

Lemma Z_change : exp (kappa * lo) * Z score <= Z other <= exp (kappa * hi) * Z score.
Proof.
have [sc s0] := score1; have [oc o0] := other1; have [monotone homogeneous] := like.
have [lc <-] := homogeneous _ _ (exp_ge0 (kappa * lo)) sc; have [hc <-] := homogeneous _ _ (exp_ge0 (kappa * hi)) sc.
by split; apply: monotone => // x /change [l h]; rewrite /weight -exp_plus -Rmult_plus_distr_l; apply: exp_le;
  apply: Rmult_le_compat_l => //; lra.
Qed.

Lemma shift_between : kappa * lo <= shift <= kappa * hi.
Proof.
have [_ s0] := score1; have [_ o0] := other1; have [low high] := Z_change.
rewrite -[kappa * lo]ln_exp -[kappa * hi]ln_exp; split; apply: ln_le.
- exact: exp_pos.
- exact: le_div.
- exact: Rdiv_lt_0_compat.
- exact: div_le.
Qed.

Lemma loss_formula x : ln (density other x / density score x) = kappa * (other x - score x) - shift.
Proof.
have [_ s0] := score1; have [_ o0] := other1.
rewrite /density /weight /shift !ln_div ?ln_exp; try exact: exp_pos; try lra; try exact: Rdiv_lt_0_compat.
all: try (apply: Rdiv_lt_0_compat => //; exact: exp_pos).
Qed.

Lemma density_ratio x : charged x -> density other x <= exp (kappa * (hi - lo)) * density score x.
Proof.
move=> x0; have [_ s0] := score1; have [_ o0] := other1; have d0 := density_gt0 x.
have o1 : 0 < density other x by apply: Rdiv_lt_0_compat => //; exact: exp_pos.
rewrite -{1}(exp_ln _ o1) -{1}(exp_ln _ d0) -exp_plus; apply: exp_le.
have := loss_formula x; rewrite ln_div // => formula; have [low _] := shift_between; have [_ h] := change x0.
by have := Rmult_le_compat_l _ _ _ kappa_ge0 h; lra.
Qed.
End Privacy.

(* @proves MWKTV-T5.3 exponential_mechanism_loss any integral *)
Theorem exponential_mechanism_loss score other lo hi sensitivity :
  let change x := other x - score x in
  let loss x := ln (density other x / density score x) in
  let move := ln (Z other / Z score) in
  let largest := Rmax (kappa * hi - move) (move - kappa * lo) in
  normalised score -> normalised other -> supremum change hi -> infimum change lo ->
  (forall x, charged x -> Rabs (change x) <= sensitivity) ->
  supremum (fun x => Rabs (loss x)) largest /\
  largest <= kappa * (hi - lo) <= 2 * kappa * sensitivity /\
  (forall epsilon event, 0 < sensitivity -> kappa = epsilon / (2 * sensitivity) ->
    measured event (density other) (density score) ->
    integral (part event (density other)) <= exp epsilon * integral (part event (density score))).
Proof.
move=> change loss move largest s1 o1 [above least] [below greatest] small.
have between x : charged x -> lo <= change x <= hi by split; [exact: below | exact: above].
have formula x : loss x = kappa * change x - move by exact: loss_formula.
have [low high] : kappa * lo <= move <= kappa * hi := shift_between s1 o1 between.
have scaled x : charged x -> kappa * lo <= kappa * change x <= kappa * hi.
  by move=> /between [l h]; split; apply: Rmult_le_compat_l.
have up := Rmax_l (kappa * hi - move) (move - kappa * lo).
have down := Rmax_r (kappa * hi - move) (move - kappa * lo).
have hi_small : hi <= sensitivity by apply: least => x x0; have := small x x0; have := Rle_abs (change x); lra.
have lo_small : - sensitivity <= lo.
  apply: greatest => x x0; have := small x x0; have := Rle_abs (- change x); rewrite Rabs_Ropp; lra.
have range : kappa * (hi - lo) <= 2 * kappa * sensitivity.
  by rewrite [2 * kappa]Rmult_comm Rmult_assoc; apply: Rmult_le_compat_l => //; lra.
split; last split; first split=> [x x0|b bound].
- by rewrite formula; apply: Rabs_le; have := scaled x x0; rewrite /largest; lra.
- have both x : charged x -> - b <= kappa * change x - move <= b.
    move=> x0; have := bound x x0; rewrite formula; have := Rle_abs (kappa * change x - move).
    by have := Rle_abs (- (kappa * change x - move)); rewrite Rabs_Ropp; lra.
  have some c d : (forall x, charged x -> c <= d) -> c <= d.
    move=> all; apply: Rnot_lt_le => lt; suff : hi <= hi - 1 by lra.
    by apply: least => x x0; have := all x x0; lra.
  case: (Req_dec kappa 0) => [k0|k1].
    by apply: some => x /both; rewrite /largest k0 !Rmult_0_l => ?; apply: Rmax_lub; lra.
  have k2 : 0 < kappa by lra.
  have h : hi <= (b + move) / kappa by apply: least => x /both ?; apply: le_div => //; lra.
  have l : (move - b) / kappa <= lo by apply: greatest => x /both ?; apply: div_le => //; lra.
  have := Rmult_le_compat_l _ _ _ kappa_ge0 h; have := Rmult_le_compat_l _ _ _ kappa_ge0 l.
  rewrite (_ : kappa * ((b + move) / kappa) = b + move); last by field.
  rewrite (_ : kappa * ((move - b) / kappa) = move - b); last by field.
  by move=> ? ?; apply: Rmax_lub; lra.
- by split=> //; apply: Rmax_lub; lra.
- move=> epsilon event sens0 k parts; apply: event_le => // [|x x0]; first exact: exp_ge0.
  apply: Rle_trans (density_ratio s1 o1 between x0) _.
  apply: Rmult_le_compat_r; first by apply: Rlt_le; exact: density_gt0.
  apply: exp_le; apply: Rle_trans range _; rewrite k; apply: Req_le; field; lra.
Qed.
End Scores.

(** The outcome [t] is the point spectral (U t) lambda of an orbit; where a row [x] is replaced by [y], the matrix M
    becomes M - x x^* + y y^*. *)
Section OnAnOrbit.
Variables (K : scalars) (d : nat).
Add Ring scalar_ring_of_mechanism : (ring_laws K).
Variables (U : T -> 'I_d -> 'I_d -> K) (lambda : 'I_d -> R) (largest smallest : 'I_d).
Hypothesis U1 : forall t, unitary (U t).
Hypothesis range : forall i, lambda smallest <= lambda i <= lambda largest.
Implicit Types (M : 'I_d -> 'I_d -> K).

Definition utility M t := inner M (spectral (U t) lambda).
Definition replaced M (x y : 'I_d -> K) i j := plus (minus (M i j) (outer x i j)) (outer y i j).
(** A law, given by its density [p], is within a factor [c] of that of the mechanism. *)
Definition sampled kappa M c (p : T -> R) := forall t, charged t ->
  exp (- c) * density kappa (utility M) t <= p t <= exp c * density kappa (utility M) t.

(* @proves MWKTV-L6.2 private_sampler any integral, decompositions given *)
Theorem private_sampler epsilon M (x y : 'I_d -> K) (p p' : T -> R) event :
  0 <= lambda smallest -> 0 < lambda largest -> 0 <= epsilon -> norm2 x <= 1 -> norm2 y <= 1 ->
  let kappa := epsilon / (4 * lambda largest) in
  let M' := replaced M x y in
  normalised kappa (utility M) -> normalised kappa (utility M') ->
  sampled kappa M (epsilon / 4) p -> sampled kappa M' (epsilon / 4) p' -> measured event p p' ->
  integral (part event p) <= exp epsilon * integral (part event p') /\
  integral (part event p') <= exp epsilon * integral (part event p).
Proof.
move=> low high e0 x1 y1 kappa M' m1 m1' near near' [cp cp'].
have k0 : 0 <= kappa by apply: le_div; lra.
have change t : - lambda largest <= utility M' t - utility M t <= lambda largest.
  have small : Rabs (utility M' t - utility M t) <= lambda largest.
    by have [_ bound] := score_sensitivity M (U1 t) range x1 y1; exact: bound.
  have := Rle_abs (utility M' t - utility M t); have := Rle_abs (- (utility M' t - utility M t)).
  by rewrite Rabs_Ropp; lra.
have back t : - lambda largest <= utility M t - utility M' t <= lambda largest by have := change t; lra.
have half : kappa * (lambda largest - - lambda largest) = epsilon / 2 by rewrite /kappa; field; lra.
have both N N' (q q' : T -> R) : normalised kappa (utility N) -> normalised kappa (utility N') ->
    (forall t, - lambda largest <= utility N' t - utility N t <= lambda largest) ->
    sampled kappa N (epsilon / 4) q -> sampled kappa N' (epsilon / 4) q' ->
    forall t, charged t -> q' t <= exp epsilon * q t.
  move=> n1 n1' moved below above t t0; have [_ le] := above t t0; have [ge _] := below t t0.
  apply: Rle_trans le _; have ratio := density_ratio k0 n1 n1' (fun s _ => moved s) t0; rewrite half in ratio.
  have := Rmult_le_compat_l _ _ _ (exp_ge0 epsilon) ge; rewrite -Rmult_assoc -exp_plus => le; apply: Rle_trans le.
  rewrite (_ : epsilon + - (epsilon / 4) = epsilon / 4 + epsilon / 2); last by field.
  by rewrite exp_plus Rmult_assoc; apply: Rmult_le_compat_l => //; exact: exp_ge0.
by split; apply: event_le => //; try exact: exp_ge0; [exact: (both M' M) | exact: (both M M')].
Qed.

(* @proves MWKTV-L6.2X loss_by_spread any integral, decompositions given, only: the upper bound of the loss *)
Theorem loss_by_spread kappa (a b : R) (u v : 'I_d -> K) M M' :
  0 <= kappa -> 0 <= a -> 0 <= b -> norm2 u = 1 -> norm2 v = 1 ->
  normalised kappa (utility M) -> normalised kappa (utility M') ->
  (forall i j, M' i j = plus (minus (M i j) (times (real K b) (outer v i j))) (times (real K a) (outer u i j))) ->
  let bound := kappa * ((a + b) * (lambda largest - lambda smallest)) in
  let p := density kappa (utility M) in let p' := density kappa (utility M') in
  (forall t, charged t -> p' t <= exp bound * p t /\ p t <= exp bound * p' t) /\
  (forall event, measured event p p' ->
    integral (part event p) <= exp bound * integral (part event p') /\
    integral (part event p') <= exp bound * integral (part event p)).
Proof.
move=> k0 a0 b0 u1 v1 m1 m1' change bound p p'.
have moved t : utility M' t - utility M t = a * inner (outer u) (spectral (U t) lambda) - b * inner (outer v)
  (spectral (U t) lambda).
  rewrite /utility -!inner_real_scale -!sum_sub; apply: sum_ext => i; rewrite -!sum_sub; apply: sum_ext => j.
  by rewrite -!re_minus change; congr re; ring.
have between t : a * lambda smallest - b * lambda largest <= utility M' t - utility M t
    <= a * lambda largest - b * lambda smallest.
  have := score_range u (U1 t) range; have := score_range v (U1 t) range;
    rewrite u1 v1 !Rmult_1_r moved => -[v_low v_high] [u_low u_high].
  have := Rmult_le_compat_l _ _ _ a0 u_low; have := Rmult_le_compat_l _ _ _ a0 u_high.
  have := Rmult_le_compat_l _ _ _ b0 v_low; have := Rmult_le_compat_l _ _ _ b0 v_high; lra.
have back t : - (a * lambda largest - b * lambda smallest)
  <= utility M t - utility M' t <= - (a * lambda smallest - b * lambda largest).
  by have := between t; lra.
have ratio t : charged t -> p' t <= exp bound * p t /\ p t <= exp bound * p' t.
  move=> t0; split.
    have := density_ratio k0 m1 m1' (fun s _ => between s) t0.
    rewrite (_ : _ - _ - _ = (a + b) * (lambda largest - lambda smallest)) //; ring.
  have := density_ratio k0 m1' m1 (fun s _ => back s) t0.
  rewrite (_ : _ - _ = (a + b) * (lambda largest - lambda smallest)) //; ring.
split=> // event [cp cp']; split; apply: event_le => //; try exact: exp_ge0; by move=> t /ratio [].
Qed.
End OnAnOrbit.
End Mechanism.

(** Finite sums over a base measure are such integrals, of all functions. *)
Theorem sum_like (I : finType) (base : I -> R) : (forall x, 0 <= base x) ->
  integral_like (fun x => 0 < base x) (fun _ => True) (fun f => sum (fun x => base x * f x)).
Proof.
move=> base0; split=> [f g _ _ le|c f _ _]; last first.
  by split=> //; rewrite -sum_scale; apply: sum_ext => x; ring.
by apply: sum_le => x; case: (base0 x) => [x0|<-]; [apply: Rmult_le_compat_l => //; exact: le | lra].
Qed.

(** So is the real integral over [0, 1], of the functions that have one. *)
Theorem unit_interval_like :
  integral_like (fun x => 0 < x < 1) (fun f => ex_RInt f 0 1) (fun f => RInt f 0 1) /\ RInt (fun _ => 1) 0 1 = 1.
Proof.
split; last by rewrite RInt_const /scal /= /mult /=; ring.
split=> [f g cf cg le|c f _ cf]; first by apply: RInt_le => //; lra.
by split; [exact: (ex_RInt_scal (V := R_NormedModule) f 0 1 c) | exact: (RInt_scal (V := R_CompleteNormedModule) f 0 1 c)].
Qed.
