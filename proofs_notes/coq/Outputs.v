(** Outputs of a run and what they are functions of: losses, and pairs of runs in an order that a coin decides.

    [p] and [q] are the laws of what a run looked at on two data sets, on finitely many outcomes; [output g p o] is the
    probability of the output [o], for one map [g] for both.  Beside "Output loss" and "Coin order" of
    proofs_notes/auditing.md. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
Require Import Sums Privacy.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Loss.
Variables (T O : finType) (g : T -> O) (p q : T -> R).
Hypothesis p_law : is_law p.
Hypothesis q_law : is_law q.

Definition output (r : T -> R) o := sum_if (fun t => g t == o) r.

Lemma output_processed (r : T -> R) o : output r o = processed r (fun t o => if g t == o then 1 else 0) o.
Proof. by apply: sum_ext => t; case: (g t == o); ring. Qed.

Lemma one_output t : is_law (fun o => if g t == o then 1 else 0).
Proof.
split=> [o|]; first by case: (g t == o); lra.
by rewrite (sum_one (i := g t)) ?eqxx // => o /nesym /eqP /negPf ->.
Qed.

Lemma output_excess epsilon : excess epsilon (output p) (output q) <= excess epsilon p q.
Proof.
have [profile _] := post_processing p q one_output.
rewrite -(excess_attained epsilon (output p)).
have same (r : T -> R) e : probability (output r) e = probability (processed r (fun t o => if g t == o then 1 else 0)) e.
  by apply: sum_ext => o; rewrite output_processed.
by rewrite !same; apply: profile; exact: event_excess.
Qed.

(** Where the laws have positive probabilities [ratio t] is exp of the loss of [t]. *)
Definition ratio (p' q' : T -> R) t := p' t / q' t.

(** A bet on the loss: 1 + fraction * ((1 - exp (epsilon - loss))^+ / delta - 1). *)
Definition bet epsilon delta fraction t := 1 + fraction * (Rmax 0 (1 - exp epsilon * q t / p t) / delta - 1).

(* @proves DPS-OUTPUTLOSS output_loss finite outcomes *)
Theorem output_loss :
  (forall epsilon, excess epsilon (output p) (output q) <= excess epsilon p q) /\
  (forall o low high, (exists t, g t = o) -> (forall t, g t = o -> 0 < p t /\ 0 < q t) ->
    (forall t, g t = o -> low <= ln (p t / q t) <= high) ->
    exp (ln (output p o / output q o)) = sum_if (fun t => g t == o) (fun t => q t * exp (ln (p t / q t))) / output q o /\
    low <= ln (output p o / output q o) <= high) /\
  (forall epsilon, (forall t, 0 < p t /\ 0 < q t) ->
    let far t := at_most epsilon (ln (p t / q t)) in
    exp epsilon * probability q far <= probability p far /\
    ((exists t, epsilon < ln (p t / q t)) -> exp epsilon * probability q far < probability p far)) /\
  (forall epsilon delta fraction, 0 < delta -> excess epsilon p q <= delta -> 0 <= fraction <= 1 ->
    (forall t, 1 - fraction <= bet epsilon delta fraction t) /\
    sum (fun t => p t * bet epsilon delta fraction t) <= 1).
Proof.
have [p0 p1] := p_law; have [q0 q1] := q_law.
split; first exact: output_excess.
split=> [o low high [t gt] positive range|].
  have q_pos : 0 < output q o.
    apply: (sum_pos (i := t)) => [s|]; last by rewrite gt eqxx; case: (positive t gt).
    by case: (g s == o) => //; lra.
  have p_pos : 0 < output p o.
    apply: (sum_pos (i := t)) => [s|]; last by rewrite gt eqxx; case: (positive t gt).
    by case: (g s == o) => //; lra.
  have quotient s : g s = o -> p s = q s * exp (ln (p s / q s)).
    move=> /positive [ps qs]; rewrite exp_ln; [field; lra | exact: Rdiv_lt_0_compat].
  split.
    rewrite exp_ln; last exact: Rdiv_lt_0_compat.
    by congr (_ / _); apply: sum_ext => s; case: eqP => // /quotient.
  have bound c : exp c * output q o = sum_if (fun s => g s == o) (fun s => q s * exp c).
    by rewrite -sum_if_scale; apply: sum_ext => s; case: (g s == o); ring.
  have lower : exp low * output q o <= output p o.
    rewrite bound; apply: sum_if_le => s /eqP gs; rewrite (quotient s gs); apply: Rmult_le_compat_l => //.
    by apply: exp_le; case: (range s gs).
  have upper : output p o <= exp high * output q o.
    rewrite bound; apply: sum_if_le => s /eqP gs; rewrite {1}(quotient s gs); apply: Rmult_le_compat_l => //.
    by apply: exp_le; case: (range s gs).
  split.
    by rewrite -(ln_exp low); apply: ln_le; [exact: exp_pos | exact: le_div].
  by rewrite -(ln_exp high); apply: ln_le; [exact: Rdiv_lt_0_compat | exact: div_le].
split=> [epsilon positive far|epsilon delta fraction delta0 within [f0 f1]].
  have each t : far t -> exp epsilon * q t <= p t.
    move=> /at_mostP le; have [pt qt] := positive t.
    apply: (Rmult_le_reg_r (/ q t)); first exact: Rinv_0_lt_compat.
    rewrite Rmult_assoc Rinv_r; last lra.
    by rewrite Rmult_1_r -(exp_ln (p t * / q t)); [exact: exp_le | exact: Rdiv_lt_0_compat].
  have all : exp epsilon * probability q far <= probability p far.
    by rewrite /probability -sum_if_scale; apply: sum_if_le.
  split=> // -[t lt]; rewrite /probability -sum_if_scale /sum_if (sum_split _ t) [X in _ < X](sum_split _ t).
  have ft : far t by apply/at_mostP; lra.
  apply: Rplus_lt_le_compat.
    rewrite ft; have [pt qt] := positive t.
    apply: (Rmult_lt_reg_r (/ q t)); first exact: Rinv_0_lt_compat.
    rewrite Rmult_assoc Rinv_r; last lra.
    by rewrite Rmult_1_r -(exp_ln (p t * / q t)); [exact: exp_increasing | exact: Rdiv_lt_0_compat].
  by apply: sum_if_le => s _; case: (boolP (far s)) => [/each //|_]; lra.
have x0 t : 0 <= Rmax 0 (1 - exp epsilon * q t / p t) / delta.
  by apply: le_div => //; rewrite Rmult_0_l; exact: Rmax_l.
split=> [t|].
  have := Rmult_le_pos _ _ f0 (x0 t); rewrite /bet; lra.
have mean : sum (fun t => p t * Rmax 0 (1 - exp epsilon * q t / p t)) <= excess epsilon p q.
  apply: sum_le => t; case: (p0 t) => [pt|<-]; last by rewrite Rmult_0_l; exact: Rmax_l.
  case: (Rle_dec 0 (1 - exp epsilon * q t / p t)) => sign.
    rewrite (Rmax_right _ _ sign); apply: Rle_trans (Rmax_r _ _); apply: Req_le; field; lra.
  by rewrite Rmax_left; [rewrite Rmult_0_r; exact: Rmax_l | lra].
rewrite (sum_ext (g := fun t => (1 - fraction) * p t
  + fraction / delta * (p t * Rmax 0 (1 - exp epsilon * q t / p t)))) => [|t].
  rewrite sum_add !sum_scale p1; have c0 : 0 <= fraction / delta by apply: le_div => //; lra.
  have := Rmult_le_compat_l _ _ _ c0 (Rle_trans _ _ _ mean within).
  rewrite (_ : fraction / delta * delta = fraction); [lra | field; lra].
by rewrite /bet; field; lra.
Qed.
End Loss.

(** A pair of runs, one on each data set; [first] says that the first data set has the first place.  [together] is the
    law of the coin and of both outputs, [x] on the first data set and [y] on the second: the second run may depend on
    what the first one left. *)
Section Coin.
Variables (Y : finType) (p q : bool -> Y -> R) (together : bool * (Y * Y) -> R).
(** [p true], [q true]: laws of a run that is the first of its pair; the coin is fair. *)
Hypothesis x_laws : forall first x, sum (fun y => together (first, (x, y))) = 1 / 2 * p first x.
Hypothesis y_laws : forall first y, sum (fun x => together (first, (x, y))) = 1 / 2 * q (~~ first) y.
Hypothesis laws : forall first, is_law (p first) /\ is_law (q first).

Definition bit (b : bool) := if b then 1 else 0.
Definition gain epsilon delta (event : Y -> bool) (run : bool * (Y * Y)) :=
  bit (event run.2.1) - exp epsilon * bit (event run.2.2) - delta.

(* @proves DPS-COINORDER coin_order finite outcomes *)
Theorem coin_order epsilon delta event :
  (forall place, probability (p place) event <= exp epsilon * probability (q place) event + delta) ->
  sum (fun run => together run * gain epsilon delta event run) <= 0.
Proof.
move=> claim.
have two (f : bool -> R) : sum f = f true + f false by rewrite /sum big_bool.
have of_x first : sum (fun x => sum (fun y => together (first, (x, y)) * bit (event x))) =
    1 / 2 * probability (p first) event.
  rewrite /probability -sum_if_scale; apply: sum_ext => x.
  rewrite (sum_ext (g := fun y => bit (event x) * together (first, (x, y)))) => [|y]; last exact: Rmult_comm.
  by rewrite sum_scale x_laws /bit; case: (event x); ring.
have of_y first : sum (fun x => sum (fun y => together (first, (x, y)) * bit (event y))) =
    1 / 2 * probability (q (~~ first)) event.
  rewrite sum_swap /probability -sum_if_scale; apply: sum_ext => y.
  rewrite (sum_ext (g := fun x => bit (event y) * together (first, (x, y)))) => [|x]; last exact: Rmult_comm.
  by rewrite sum_scale y_laws /bit; case: (event y); ring.
have of_all first : sum (fun x => sum (fun y => together (first, (x, y)))) = 1 / 2.
  by rewrite (sum_ext (x_laws first)) sum_scale; have [[_ ->] _] := laws first; ring.
have seen_x : sum (fun run => together run * bit (event run.2.1)) =
    1 / 2 * probability (p true) event + 1 / 2 * probability (p false) event.
  by rewrite sum_prod two !sum_prod -!of_x.
have seen_y : sum (fun run => together run * bit (event run.2.2)) =
    1 / 2 * probability (q false) event + 1 / 2 * probability (q true) event.
  by rewrite sum_prod two !sum_prod -(of_y true) -(of_y false).
have all_one : sum together = 1 by rewrite sum_prod two !sum_prod !of_all; lra.
have form run : together run * gain epsilon delta event run = together run * bit (event run.2.1)
    - exp epsilon * (together run * bit (event run.2.2)) - delta * together run by rewrite /gain; ring.
rewrite (sum_ext form) !sum_sub !sum_scale seen_x seen_y all_one; have := claim true; have := claim false; lra.
Qed.
End Coin.
