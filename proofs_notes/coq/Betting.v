(** Betting against a claim of privacy, round by round, with finitely many outcomes in each round.

    A history is the list of the outcomes of all rounds so far, the latest first: [a :: past] comes after [past].
    [chance past a] is the probability of the outcome [a] given that history, of which everything may depend.  A process
    is a function of the history; [supermartingale] says that its mean after the next round is at most its value now.
    [chance_of_ever alarm n past] is the probability of an alarm now or within [n] more rounds.
    Beside proofs_notes/auditing.md, where outcomes may be a continuum and histories may be infinite. *)
From mathcomp Require Import all_ssreflect.
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Require Import Sums Privacy.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Open Scope R_scope.

Section Processes.
Variables (A : finType) (chance : seq A -> A -> R).
Hypothesis laws : forall past, is_law (chance past).
Implicit Types (K : seq A -> R) (past : seq A).

Definition mean past (f : A -> R) := sum (fun a => chance past a * f a).
Definition supermartingale K := forall past, mean past (fun a => K (a :: past)) <= K past.

Fixpoint chance_of_ever (alarm : seq A -> bool) n past : R :=
  if alarm past then 1 else if n is n'.+1 then mean past (fun a => chance_of_ever alarm n' (a :: past)) else 0.

Lemma mean_le past f g : (forall a, f a <= g a) -> mean past f <= mean past g.
Proof. by move=> le; apply: sum_le => a; apply: Rmult_le_compat_l => //; case: (laws past). Qed.

Lemma mean_scale past c f : mean past (fun a => c * f a) = c * mean past f.
Proof. by rewrite /mean -sum_scale; apply: sum_ext => a; ring. Qed.

Lemma mean_const past c : mean past (fun _ => c) = c.
Proof.
case: (laws past) => _ one; rewrite -[RHS]Rmult_1_r -one -sum_scale.
by apply: sum_ext => a; ring.
Qed.

Lemma mean_add past f g : mean past (fun a => f a + g a) = mean past f + mean past g.
Proof. by rewrite /mean -sum_add; apply: sum_ext => a; ring. Qed.

Lemma mean_sum (J : finType) past (f : J -> A -> R) :
  mean past (fun a => sum (fun j => f j a)) = sum (fun j => mean past (f j)).
Proof. by rewrite /mean -sum_swap; apply: sum_ext => a; rewrite sum_scale. Qed.

Lemma mean_indicator past (event : A -> bool) :
  mean past (fun a => if event a then 1 else 0) = probability (chance past) event.
Proof. by apply: sum_ext => a; case: (event a); ring. Qed.

Lemma ever_monotone (alarm alarm' : seq A -> bool) n past :
  (forall past, alarm past -> alarm' past) -> chance_of_ever alarm n past <= chance_of_ever alarm' n past.
Proof.
have ever01 al m p : 0 <= chance_of_ever al m p <= 1.
  elim: m p => [|m IH] p /=; case: (al p); try lra.
  by split; [rewrite -(mean_const p 0) | rewrite -(mean_const p 1)]; apply: mean_le => a; case: (IH (a :: p)).
move=> sub; elim: n past => [|n IH] past /=; case: (boolP (alarm past)) => [/sub -> | _]; try lra.
  by case: (alarm' past); lra.
case: (alarm' past); last by apply: mean_le.
by rewrite -(mean_const past 1); apply: mean_le => a; case: (ever01 alarm n (a :: past)).
Qed.

(** In any finite number of rounds. *)
Lemma ville_until K c n :
  (forall past, 0 <= K past) -> supermartingale K -> K [::] = 1 -> 0 < c ->
  chance_of_ever (fun past => at_most c (K past)) n [::] <= 1 / c.
Proof.
move=> K0 super start c0; rewrite -start; elim: n [::] => [|n IH] past /=; case: at_mostP => [rich|_];
  try by apply: le_div; lra.
  by apply: le_div => //; rewrite Rmult_0_l.
apply: le_div => //; rewrite Rmult_comm -mean_scale; apply: Rle_trans (super past); apply: mean_le => a.
have := Rmult_le_compat_l c _ _ (Rlt_le _ _ c0) (IH (a :: past)).
by rewrite (_ : c * (K (a :: past) / c) = K (a :: past)) //; field; lra.
Qed.

Lemma ever_rises alarm n past : chance_of_ever alarm n past <= chance_of_ever alarm n.+1 past.
Proof.
have ever0 m p : 0 <= chance_of_ever alarm m p.
  elim: m p => [|m IH] p /=; case: (alarm p); try lra.
  by rewrite -(mean_const p 0); apply: mean_le => a; exact: IH.
elim: n past => [|n IH] past.
  by have := ever0 1%nat past; rewrite /=; case: (alarm past) => //; lra.
by rewrite [X in X <= _]/= [X in _ <= X]/=; case: (alarm past); [lra | apply: mean_le => a; exact: IH].
Qed.

(** The probability of an alarm at any time is the limit of that of one within [n] rounds. *)
(* @proves DPS-VILLE ville finite outcomes, only: the probability of an event of infinitely many rounds is a limit *)
Theorem ville K c :
  (forall past, 0 <= K past) -> supermartingale K -> K [::] = 1 -> 0 < c ->
  let reached level n := chance_of_ever (fun past => at_most level (K past)) n [::] in
  (forall n, reached c n <= 1 / c) /\
  (exists p : R, is_lim_seq (reached c) p /\ p <= 1 / c) /\
  (forall q, (forall level, 0 < level < c -> exists p : R, is_lim_seq (reached level) p /\ q <= p) -> q <= 1 / c).
Proof.
move=> K0 super start c0 reached.
have until level n : 0 < level -> reached level n <= 1 / level by exact: ville_until.
have limit level : 0 < level -> exists p : R, is_lim_seq (reached level) p /\ p <= 1 / level.
  move=> l0; have [p lim] : ex_finite_lim_seq (reached level).
    by apply: (ex_finite_lim_seq_incr _ (1 / level)) => n; [exact: ever_rises | exact: until].
  exists p; split=> //; apply: (is_lim_seq_le (reached level) (fun _ => 1 / level) p (1 / level)) => //.
    by move=> n; exact: until.
  exact: is_lim_seq_const.
split=> [n|]; first exact: until.
split=> [|q below]; first exact: limit.
apply: Rnot_lt_le => above; have q0 : 0 < q by apply: Rlt_trans above; apply: Rdiv_lt_0_compat; lra.
have near : / q < c.
  apply: (Rmult_lt_reg_l q) => //; rewrite Rinv_r; last lra.
  by have := Rmult_lt_compat_r _ _ _ c0 above; rewrite (_ : 1 / c * c = 1) //; field; lra.
have i0 := Rinv_0_lt_compat q q0; pose level := (/ q + c) / 2.
have [p [lim le]] := below level ltac:(rewrite /level; lra).
have l0 : 0 < level by rewrite /level; lra.
have [p' [lim' le']] := limit level l0.
have same : p = p' by have := is_lim_seq_unique _ _ lim; rewrite (is_lim_seq_unique _ _ lim') => -[].
have : q * level <= 1.
  by have := Rmult_le_compat_r level _ _ (Rlt_le _ _ l0) (Rle_trans _ _ _ le (Req_le _ _ same));
    have := Rmult_le_compat_r level _ _ (Rlt_le _ _ l0) le'; rewrite (_ : 1 / level * level = 1); [lra | field; lra].
have := Rmult_lt_compat_l q (/ q) level q0 ltac:(rewrite /level; lra); rewrite Rinv_r; lra.
Qed.

(** Wealth: each round multiplies it by what the bet pays. *)
Fixpoint wealth (bet : seq A -> A -> R) past : R := if past is a :: rest then wealth bet rest * bet rest a else 1.

Lemma wealth_ge0 bet past : (forall past a, 0 <= bet past a) -> 0 <= wealth bet past.
Proof. by move=> b0; elim: past => [|a rest IH] /=; [lra | apply: Rmult_le_pos]. Qed.

Lemma wealth_supermartingale bet :
  (forall past a, 0 <= bet past a) -> (forall past, mean past (bet past) <= 1) -> supermartingale (wealth bet).
Proof.
move=> b0 fair past /=; rewrite mean_scale -[X in _ <= X]Rmult_1_r.
by apply: Rmult_le_compat_l => //; exact: wealth_ge0.
Qed.
End Processes.

(** What a round pays: a round shows for each row [i] of [I] whether its draw from either side is in the event. *)
Section Factor.
Variables (A I : finType) (x y : I -> A -> bool).
Hypothesis rows : 0 < INR #|I|.
Implicit Types (epsilon delta g : R).

Definition bit (b : bool) := if b then 1 else 0.
Definition share (hit : I -> A -> bool) a := sum (fun i => bit (hit i a)) / INR #|I|.
Definition factor epsilon delta g a :=
  1 + g / (exp epsilon + delta) * (share x a - exp epsilon * share y a - delta).

Lemma share01 hit a : 0 <= share hit a <= 1.
Proof.
split; first by apply: le_div => //; rewrite Rmult_0_l; apply: sum_ge0 => i; rewrite /bit; case: (hit i a); lra.
apply: div_le => //; rewrite Rmult_1_l -[INR _]Rmult_1_r -sum_const; apply: sum_le => i.
by rewrite /bit; case: (hit i a); lra.
Qed.

(** The factor without the claim's subtraction: what shows that it falls in both parameters. *)
Lemma factor_rises epsilon delta g a : 0 <= delta ->
  factor epsilon delta g a = 1 - g + g * ((share x a + exp epsilon * (1 - share y a)) / (exp epsilon + delta)).
Proof. by move=> d0; rewrite /factor; field; have := exp_pos epsilon; lra. Qed.

Lemma factor_least epsilon delta g a : 0 <= delta -> 0 <= g -> 1 - g <= factor epsilon delta g a.
Proof.
move=> d0 g0; rewrite factor_rises //; have e0 := exp_pos epsilon.
suff : 0 <= g * ((share x a + exp epsilon * (1 - share y a)) / (exp epsilon + delta)) by lra.
apply: Rmult_le_pos => //; apply: le_div; first lra.
rewrite Rmult_0_l; have [x0 _] := share01 x a; have [_ y1] := share01 y a.
by have : 0 <= exp epsilon * (1 - share y a); [apply: Rmult_le_pos; lra | lra].
Qed.

Lemma factor_in_delta epsilon delta delta' g a : 0 <= delta <= delta' -> 0 <= g ->
  factor epsilon delta' g a <= factor epsilon delta g a.
Proof.
move=> [d0 dd] g0; rewrite !factor_rises; [|lra|lra]; apply: Rplus_le_compat_l; apply: Rmult_le_compat_l => //.
have e0 := exp_pos epsilon; apply: Rmult_le_compat_l; last by apply: Rinv_le_contravar; lra.
have [x0 _] := share01 x a; have [_ y1] := share01 y a.
by have : 0 <= exp epsilon * (1 - share y a); [apply: Rmult_le_pos; lra | lra].
Qed.

Lemma factor_in_epsilon epsilon epsilon' g a : epsilon <= epsilon' -> 0 <= g ->
  factor epsilon' 0 g a <= factor epsilon 0 g a.
Proof.
move=> ee g0; rewrite !factor_rises; [|lra|lra]; apply: Rplus_le_compat_l; apply: Rmult_le_compat_l => //.
have form e : (share x a + exp e * (1 - share y a)) / (exp e + 0) = share x a * / exp e + (1 - share y a).
  by field; have := exp_pos e; lra.
rewrite !form; apply: Rplus_le_compat_r; apply: Rmult_le_compat_l; first by case: (share01 x a).
by apply: Rinv_le_contravar; [exact: exp_pos | exact: exp_le].
Qed.

Section Mean.
Variables (chance : seq A -> A -> R).
Hypothesis laws : forall past, is_law (chance past).

Definition claim past epsilon delta := forall i,
  probability (chance past) (x i) <= exp epsilon * probability (chance past) (y i) + delta.

Lemma mean_share past hit :
  mean chance past (share hit) * INR #|I| = sum (fun i => probability (chance past) (hit i)).
Proof.
rewrite Rmult_comm -mean_scale -(sum_ext (fun i => mean_indicator chance past (hit i))) -mean_sum.
by apply: sum_ext => a; congr (_ * _); rewrite /share /bit; field; lra.
Qed.

Lemma factor_fair past epsilon delta g : claim past epsilon delta -> 0 <= delta -> 0 <= g ->
  mean chance past (factor epsilon delta g) <= 1.
Proof.
move=> holds d0 g0; have e0 := exp_pos epsilon; set u := g / (exp epsilon + delta).
have u0 : 0 <= u by apply: le_div; lra.
have form a : factor epsilon delta g a = (1 - u * delta) + (u * share x a + (- (u * exp epsilon)) * share y a).
  by rewrite /factor -/u; ring.
rewrite (_ : mean _ _ _ = mean chance past (fun a => (1 - u * delta) + (u * share x a + (- (u * exp epsilon))
  * share y a)));
  last by apply: sum_ext => a; rewrite form.
rewrite mean_add mean_const // mean_add !mean_scale.
suff le : mean chance past (share x) <= exp epsilon * mean chance past (share y) + delta.
  have := Rmult_le_compat_l _ _ _ u0 le; lra.
apply: (Rmult_le_reg_r (INR #|I|)) => //.
rewrite Rmult_plus_distr_r Rmult_assoc !mean_share [delta * _]Rmult_comm -sum_const -sum_scale -sum_add.
by apply: sum_le => i.
Qed.
End Mean.
End Factor.

(** One draw from either side in a round: [hit_x], [hit_y] say whether it is in the event. *)
Section Pairs.
Variables (A : finType) (chance : seq A -> A -> R) (hit_x hit_y : A -> bool) (epsilon delta g : R).
Hypothesis laws : forall past, is_law (chance past).
Hypothesis claim : forall past,
  probability (chance past) hit_x <= exp epsilon * probability (chance past) hit_y + delta.
Hypothesis delta_ge0 : 0 <= delta.
Hypothesis g01 : 0 <= g <= 1.

Definition gain a := bit (hit_x a) - exp epsilon * bit (hit_y a) - delta.
Definition payoff a := 1 + g * gain a / (exp epsilon + delta).
Definition one_sided a := 1 + g / delta * (bit (hit_x a) - delta).
Definition counted (both_x both_y : bool) (past : seq A) :=
  count (fun a => (hit_x a == both_x) && (hit_y a == both_y)) past.

Lemma one_row : 0 < INR #|[finType of unit]|.
Proof. by rewrite card_unit /=; lra. Qed.

Lemma payoff_factor a : payoff a = factor (fun _ : unit => hit_x) (fun _ => hit_y) epsilon delta g a.
Proof.
rewrite /payoff /factor /share /gain !sum_const card_unit /=; field; have := exp_pos epsilon; lra.
Qed.

Lemma payoff_ge0 a : 0 <= payoff a.
Proof.
have [g0 g1] := g01; rewrite payoff_factor.
by have := @factor_least _ _ (fun _ : unit => hit_x) (fun _ => hit_y) one_row epsilon delta g a delta_ge0 g0; lra.
Qed.

Lemma payoff_fair past : mean chance past payoff <= 1.
Proof.
have [g0 g1] := g01; rewrite (_ : mean _ _ _ =
  mean chance past (factor (fun _ : unit => hit_x) (fun _ => hit_y) epsilon delta g)).
  by apply: factor_fair => //; exact: one_row.
by apply: sum_ext => a; rewrite payoff_factor.
Qed.

(* @proves DPS-EPROCESS betting_wealth finite outcomes, finite rounds *)
Theorem betting_wealth :
  let K := wealth (fun _ => payoff) in
  let u := g / (exp epsilon + delta) in
  let both := counted true true in let only_x := counted true false in
  let only_y := counted false true in let neither := counted false false in
  (forall past, 0 <= K past) /\ supermartingale chance K /\ K [::] = 1 /\
  (forall past, K past = (1 - g + u) ^ both past * (1 + (1 - delta) * u) ^ only_x past
                         * (1 - g) ^ only_y past * (1 - delta * u) ^ neither past) /\
  ((forall past, probability (chance past) hit_y = 0) -> 0 < delta ->
    (forall past, 0 <= wealth (fun _ => one_sided) past) /\ supermartingale chance (wealth (fun _ => one_sided))) /\
  ((forall past, probability (chance past) hit_y = 0) -> delta = 0 -> forall past, probability (chance past) hit_x = 0).
Proof.
move=> K u both only_x only_y neither; have [g0 g1] := g01; have e0 := exp_pos epsilon.
split; first by move=> past; apply: wealth_ge0 => _; exact: payoff_ge0.
split; first by apply: wealth_supermartingale => [_|]; [exact: payoff_ge0 | exact: payoff_fair].
split=> //; split.
  rewrite /K /both /only_x /only_y /neither /counted /u; elim=> [|a rest IH] /=; first by rewrite !Rmult_1_l.
  rewrite IH /payoff /gain /bit.
  by case: (hit_x a); case: (hit_y a) => /=; rewrite ?add0n; field; lra.
split=> [none d0|none d0 past]; last first.
  by have := claim past; have := law_event hit_x (laws past); rewrite none d0; lra.
have u0 : 0 <= g / delta by apply: le_div; lra.
have pay0 a : 0 <= one_sided a.
  rewrite /one_sided Rmult_minus_distr_l (_ : g / delta * delta = g); last by field; lra.
  by have : 0 <= g / delta * bit (hit_x a); [apply: Rmult_le_pos => //; rewrite /bit; case: (hit_x a); lra | lra].
split=> [past|]; first by apply: wealth_ge0.
apply: wealth_supermartingale => // past.
rewrite (_ : mean _ _ _ = mean chance past (fun a => (1 - g / delta * delta)
  + g / delta * (if hit_x a then 1 else 0))); last first.
  by apply: sum_ext => a; rewrite /one_sided /bit; ring.
rewrite mean_add mean_const // mean_scale mean_indicator.
have := claim past; rewrite none Rmult_0_r Rplus_0_l => le.
have := Rmult_le_compat_l _ _ _ u0 le; lra.
Qed.
End Pairs.

(* @proves DPS-CALLS calls_as_units finite outcomes, finite rounds, only: all but that bets on calls combine as in DPS-PREDICT *)
Theorem calls_as_units (A I : finType) (chance : seq A -> A -> R) (x y : I -> A -> bool) (g : R) :
  (forall past, is_law (chance past)) -> 0 < INR #|I| -> 0 <= g <= 1 ->
  (forall past epsilon delta (lost : seq A -> A -> bool), 0 <= delta ->
    (forall i, probability (chance past) (x i) <= exp epsilon * probability (chance past) (y i) + delta) ->
    mean chance past (factor x y epsilon delta g) <= 1 /\
    (forall a, 0 <= 1 - g <= factor x y epsilon delta g a) /\
    mean chance past (fun a => if lost past a then 1 - g else factor x y epsilon delta g a) <= 1) /\
  (forall epsilon delta, 0 <= delta ->
    (forall past i, probability (chance past) (x i) <= exp epsilon * probability (chance past) (y i) + delta) ->
    let K := wealth (fun _ => factor x y epsilon delta g) in (forall past, 0 <= K past) /\ supermartingale chance K) /\
  (forall epsilon delta delta' a, 0 <= delta <= delta' ->
    factor x y epsilon delta' g a <= factor x y epsilon delta g a) /\
  (forall epsilon epsilon' a, epsilon <= epsilon' -> factor x y epsilon' 0 g a <= factor x y epsilon 0 g a).
Proof.
move=> laws rows [g0 g1].
split=> [past epsilon delta lost d0 claim|]; last first.
  split=> [epsilon delta d0 claim K|]; last first.
    by split=> [epsilon delta delta' a dd|epsilon epsilon' a ee]; [exact: factor_in_delta | exact: factor_in_epsilon].
  have pays0 (past : seq A) a : 0 <= factor x y epsilon delta g a.
    by have := @factor_least _ _ x y rows epsilon delta g a d0 g0; lra.
  split=> [past|]; first exact: wealth_ge0.
  by apply: wealth_supermartingale => // past; apply: factor_fair => //; exact: claim.
have fair : mean chance past (factor x y epsilon delta g) <= 1 by exact: factor_fair.
have least a : 1 - g <= factor x y epsilon delta g a by exact: factor_least.
split=> //; split=> [a|]; first by split; [lra | exact: least].
apply: Rle_trans fair; apply: mean_le => // a; case: (lost past a); [exact: least | lra].
Qed.

(** Bets decided beforehand: the bet on the next round may depend on the history in every respect, and at the start of an
    epoch wealth is dealt anew among the bets, by shares that may depend on the history, too. *)
Section Decided.
Variables (T J : finType) (chance : seq (T * T) -> T * T -> R).
Hypothesis laws : forall past, is_law (chance past).

Record bet := Bet { event : T -> bool; swapped : bool; epsilon : R; delta : R; fraction : R }.
Definition draw (second : bool) (a : T * T) := if second then a.2 else a.1.
Definition pays (b : bet) : T * T -> R :=
  payoff (fun a => event b (draw (swapped b) a)) (fun a => event b (draw (~~ swapped b) a))
    (epsilon b) (delta b) (fraction b).
(** The claim implies the point at which the bet is made, for every event and in both orders;
  the fraction is allowed. *)
Definition admissible past (b : bet) :=
  (forall test second, probability (chance past) (fun a => test (draw second a)) <=
    exp (epsilon b) * probability (chance past) (fun a => test (draw (~~ second) a)) + delta b) /\
  0 <= delta b /\ 0 <= fraction b <= 1.

Lemma pays_ge0 past b a : admissible past b -> 0 <= pays b a.
Proof. by move=> [_ [d0 g01]]; exact: payoff_ge0. Qed.

Lemma pays_fair past b : admissible past b -> mean chance past (pays b) <= 1.
Proof.
move=> [claim [d0 [g0 g1]]]; have e0 := exp_pos (epsilon b).
set hit_x := fun a => event b (draw (swapped b) a); set hit_y := fun a => event b (draw (~~ swapped b) a).
rewrite (_ : mean _ _ _ = mean chance past (factor (fun _ : unit => hit_x) (fun _ => hit_y) (epsilon b) (delta b)
  (fraction b))).
  by apply: factor_fair => // [|_]; [exact: one_row | exact: claim].
by apply: sum_ext => a; rewrite -payoff_factor.
Qed.

Variables (chosen : seq (T * T) -> J -> bet) (shares : seq (T * T) -> J -> R) (epoch_starts : seq (T * T) -> bool).

(** Wealth that each bet holds before the next round; [total] is all wealth after the last one. *)
Fixpoint stakes past (j : J) : R :=
  match past with
  | [::] => shares [::] j
  | a :: rest =>
    if epoch_starts past then shares past j * sum (fun i => stakes rest i * pays (chosen rest i) a)
    else stakes rest j * pays (chosen rest j) a
  end.
Definition total past : R := if past is a :: rest then sum (fun j => stakes rest j * pays (chosen rest j) a) else 1.

(* @proves DPS-PREDICT decided_beforehand finite outcomes, finite rounds, only: epochs (item 1) *)
Theorem decided_beforehand :
  (forall past j, admissible past (chosen past j)) ->
  (forall past, (forall j, 0 <= shares past j) /\ sum (shares past) <= 1) ->
  (forall past, 0 <= total past) /\ supermartingale chance total /\ total [::] = 1.
Proof.
move=> admitted shares01.
have stakes0 past j : 0 <= stakes past j.
  elim: past j => [|a rest IH] j /=; first by case: (shares01 [::]).
  have paid i : 0 <= stakes rest i * pays (chosen rest i) a.
    by apply: Rmult_le_pos => //; exact: pays_ge0 (admitted rest i).
  case: (epoch_starts _) => //; apply: Rmult_le_pos; last exact: sum_ge0.
  by case: (shares01 (a :: rest)).
have total0 past : 0 <= total past.
  case: past => [|a rest] /=; first lra.
  by apply: sum_ge0 => i; apply: Rmult_le_pos => //; exact: pays_ge0 (admitted rest i).
have dealt past : sum (stakes past) <= total past.
  case: past => [|a rest]; first by case: (shares01 [::]).
  rewrite [sum (stakes _)](_ : _ = if epoch_starts (a :: rest) then total (a :: rest) * sum (shares (a :: rest))
    else total (a :: rest)).
    case: (epoch_starts _); last lra.
    rewrite -[X in _ <= X]Rmult_1_r; apply: Rmult_le_compat_l; [exact: total0 | by case: (shares01 (a :: rest))].
  case start: (epoch_starts (a :: rest)); last by apply: sum_ext => j /=; rewrite start.
  by rewrite -sum_scale; apply: sum_ext => j; rewrite [LHS]/= start Rmult_comm.
split; first exact: total0.
split=> // past; apply: Rle_trans (dealt past).
rewrite (_ : mean _ _ _ = mean chance past (fun a => sum (fun j => stakes past j * pays (chosen past j) a))) //.
rewrite mean_sum; apply: sum_le => j; rewrite mean_scale -[X in _ <= X]Rmult_1_r.
by apply: Rmult_le_compat_l => //; apply: pays_fair.
Qed.
End Decided.

(* @proves DPS-CURVE mixture_of_points finite outcomes, finite rounds, only: the mixture over points that a claim implies *)
Theorem mixture_of_points (T J : finType) (chance : seq (T * T) -> T * T -> R) (bets : J -> bet T) (shares : J -> R) :
  (forall past, is_law (chance past)) ->
  (forall past j, admissible chance past (bets j)) ->
  (forall j, 0 <= shares j) -> sum shares <= 1 ->
  let K past := sum (fun j => shares j * wealth (fun _ => pays (bets j)) past) in
  (forall past, 0 <= K past) /\ supermartingale chance K /\ K [::] <= 1.
Proof.
move=> laws admitted w0 w1 K.
have each past j : 0 <= wealth (fun _ => pays (bets j)) past.
  by apply: wealth_ge0 => past' a; exact: pays_ge0 (admitted past' j).
split; first by move=> past; apply: sum_ge0 => j; exact: Rmult_le_pos.
split=> [past|]; last by apply: Rle_trans w1; apply: sum_le => j /=; lra.
rewrite mean_sum; apply: sum_le => j; rewrite mean_scale; apply: Rmult_le_compat_l => //.
apply: (wealth_supermartingale (chance := chance)) => [past' a|past'].
  exact: pays_ge0 (admitted past' j).
by apply: pays_fair.
Qed.

(** A lower bound read off wealth: [K theta] is the wealth against the claim of parameter [theta], [bound past] the least
    upper bound of the parameters that are excluded after [past], 0 if there is none. *)
(* @proves DPS-LOWER lower_bound finite outcomes, finite rounds, only: monotone wealth (item 1) *)
Theorem lower_bound (A I : finType) (chance : seq A -> A -> R) (x y : I -> A -> bool) (g : R) :
  (forall past, is_law (chance past)) -> 0 < INR #|I| -> 0 <= g <= 1 ->
  (forall past epsilon delta delta', 0 <= delta <= delta' ->
    wealth (fun _ => factor x y epsilon delta' g) past <= wealth (fun _ => factor x y epsilon delta g) past) /\
  (forall past epsilon epsilon', epsilon <= epsilon' ->
    wealth (fun _ => factor x y epsilon' 0 g) past <= wealth (fun _ => factor x y epsilon 0 g) past) /\
  (forall (K : R -> seq A -> R) (bound : seq A -> R) (truth risk : R) n,
    (forall past theta theta', theta <= theta' -> K theta' past <= K theta past) ->
    (forall past, is_lub (fun theta => 0 <= theta /\ (theta = 0 \/ 1 / risk <= K theta past)) (bound past)) ->
    0 <= truth -> 0 < risk ->
    (forall past, 0 <= K truth past) -> supermartingale chance (K truth) -> K truth [::] = 1 ->
    chance_of_ever chance (fun past => less truth (bound past)) n [::] <= risk).
Proof.
move=> laws rows [g0 g1].
have positive epsilon delta a : 0 <= delta -> 0 <= factor x y epsilon delta g a.
  by move=> d0; have := @factor_least _ _ x y rows epsilon delta g a d0 g0; lra.
split=> [past epsilon delta delta' dd|].
  elim: past => [|a rest IH] /=; first lra.
  apply: Rmult_le_compat => //; last by apply: factor_in_delta.
    by apply: wealth_ge0 => _ b; apply: positive; lra.
  by apply: positive; lra.
split=> [past epsilon epsilon' ee|].
  elim: past => [|a rest IH] /=; first lra.
  apply: Rmult_le_compat => //; last by apply: factor_in_epsilon.
    by apply: wealth_ge0 => _ b; apply: positive; lra.
  by apply: positive; lra.
move=> K bound truth risk n falls lub truth0 risk0 K0 super start.
have -> : risk = 1 / (1 / risk) by field; lra.
apply: Rle_trans (ville_until laws n K0 super start _); last by apply: Rdiv_lt_0_compat; lra.
apply: ever_monotone => // past /lessP above; apply/at_mostP.
case: (Rle_dec (1 / risk) (K truth past)) => // small; exfalso.
have [_ least] := lub past; suff : bound past <= truth by lra.
apply: least => theta [theta0 [-> //|rich]].
case: (Rle_dec theta truth) => // big; have := falls past truth theta; lra.
Qed.
