// How large must epsilon be? The bounds of four statements, for numbers that the reader enters; `Calculators` has a
// function for each, which takes the numbers by name and returns what is told by name, or null where nothing is.
const Calculators = (() => {
  const { abs, ceil, exp, floor, hypot, log, log1p, max, min, PI, sqrt } = Math;

  const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  const logGamma = (z) => {
    let sum = LANCZOS[0];
    for (let i = 1; i < 9; i += 1) sum += LANCZOS[i] / (z - 1 + i);
    const t = z + 6.5;
    return 0.5 * log(2 * PI) + (z - 0.5) * log(t) - t + log(sum);
  };
  // Upper tail of the Gamma law of shape a and rate 1: a series below the mean, a continued fraction above it.
  const gammaTail = (a, x) => {
    if (x <= 0) return 1;
    const front = exp(a * log(x) - x - logGamma(a));
    if (x < a + 1) {
      let term = 1 / a, sum = term;
      for (let n = a + 1; term > sum * 1e-17; n += 1) sum += term *= x / n;
      return 1 - sum * front;
    }
    let b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (let i = 1; i < 1e6; i += 1) {
      const an = -i * (i - a);
      b += 2;
      d = 1 / (an * d + b);
      c = b + an / c;
      h *= d * c;
      if (abs(d * c - 1) < 1e-16) break;
    }
    return h * front;
  };
  // The place at which a function that falls comes down to 0, between two places on a line of logarithms or of numbers.
  const fallsTo = (falling, low, high, steps = 200) => {
    for (let i = 0; i < steps; i += 1) {
      const middle = (low + high) / 2;
      if (falling(middle) > 0) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const onLogs = (falling, low, high) => exp(fallsTo((x) => falling(exp(x)), log(low), log(high)));
  const gammaQuantile = (a, tail) => fallsTo((x) => gammaTail(a, x) - tail, 0, 2 * a + 20 - 4 * log(tail));
  const normal = (x) => (x < 0 ? gammaTail(0.5, x * x / 2) / 2 : 1 - gammaTail(0.5, x * x / 2) / 2);
  const normalQuantile = (p) => (p > 0.5 ? -normalQuantile(1 - p) : -fallsTo((x) => normal(-x) - p, 0, 40));
  const profile = (epsilon, mu) =>
    normal(mu / 2 - epsilon / mu) - exp(epsilon) * normal(-mu / 2 - epsilon / mu);
  const muFor = (epsilon, delta) => onLogs((mu) => delta - profile(epsilon, mu), 1e-9, 1e3);

  // MWKTV-T2.2 on a flat spectrum of rank k: the share of the utility at stake that is lost.
  const orbit = ({ d, k, beta, people, share, epsilon }) => {
    const stake = people * (share - k / d);
    if (k >= d || stake <= 0) return null;
    const lost = 2 * gammaQuantile(k * (d - k), beta) / stake;
    return { needed: lost, tenth: 10 * lost, lost: lost / epsilon };
  };

  // MWKTV-T2.4R on a flat spectrum of rank k: the error that no mechanism of the matrix alone avoids.
  const lower = ({ d, k, largest, target, epsilon }) => {
    if (k >= d) return null;
    const factorials = [0];
    for (let n = 1; n <= d + 1; n += 1) factorials.push(factorials[n - 1] + logGamma(n));
    const pairs = [];
    for (let i = 1; i <= k; i += 1)
      for (let m = 1; m <= d - k; m += 1) {
        const q = min(i, m);
        const tableaux = logGamma(i * m + 1) + factorials[i] + factorials[m] - factorials[i + m];
        const n = i * m, share = max(1 / 16, n / (6 * (n + 1)) * exp(-log(2) / n));
        pairs.push([2 * q, n * log(3), exp(tableaux / n) / q, share]);
      }
    const bound = (at) => {
      let best = 0;
      for (const [rank, steps, constant, share] of pairs) {
        const left = steps / at - rank;
        if (left <= 0) continue;
        const square = max(left, (left + rank - 2) ** 2 / rank) / largest ** 2;
        best = max(best, share * max(min(square, 2), constant * min(square, rank)));
      }
      return best / k;
    };
    const needed = bound(1e-9) > target ? onLogs((at) => bound(at) - target, 1e-9, 1e4) : 0;
    return { bound: bound(epsilon), needed };
  };

  // The radius of HP-LA.2: a norm that none of so many normal matrices exceeds, except with this probability.
  const radius = (risk, k, p, times) => {
    const shape = (k + p - 1) / 2, part = risk / times;
    const factor = exp(logGamma(k / 2) + logGamma(p / 2) - logGamma(shape)) / sqrt(PI);
    const vectors = sqrt(2 * gammaQuantile(shape, min(1, factor * part)));
    return part <= 0.5 ? min(vectors, sqrt(k) + sqrt(p) - normalQuantile(part)) : vectors;
  };
  // F of HP-T2.4: the time from a tangent down to epsilon, in closed form near it and by Simpson's rule far from it.
  const flowTime = (tangent, epsilon) => {
    if (tangent <= epsilon) return 0;
    const cosine = 1 / hypot(1, tangent), e = epsilon / 5, outside = sqrt(max(epsilon ** 2 - cosine ** 2, 0));
    const end = epsilon > cosine ? min(max(cosine / outside, epsilon), tangent) : tangent;
    const root = sqrt(1 - 4 * e * e), low = 2 * e / (1 + root), high = (1 + root) / (2 * e);
    const near = log1p((end - epsilon) * (high - low) / ((epsilon - low) * (high - end))) / root;
    if (end === tangent) return near;
    const slowness = (s) => exp(s) / (exp(s) - hypot(1, exp(s)) / 5 * (outside + cosine * exp(s)));
    const n = 4000, from = log(end), step = (log(tangent) - from) / n;
    let sum = slowness(from) + slowness(from + n * step);
    for (let i = 1; i < n; i += 1) sum += (i % 2 ? 4 : 2) * slowness(from + i * step);
    return near + sum * step / 3;
  };

  // HP-T1.3, half of the risk for the start and a quarter for each bound on the noise.
  const power = ({ d, k, p, rounds, gap, ratio, largest, delta, risk, epsilon }) => {
    if (k > p || p >= d) return null;
    const spare = p - k + 1;
    const logFactor = spare * log(2) - logGamma(spare + 1) + logGamma((p + 1) / 2) + logGamma((d - k + 1) / 2)
      - logGamma(k / 2) - logGamma((d - p) / 2);
    const length = exp((logFactor - log(risk / 2)) / spare);
    const tangent = d === p + k ? length : sqrt(max(length ** 2 - 1, 0));
    const unit = sqrt(4 * p * rounds * log(1 / delta)) * largest;
    const whole = 5 * unit * radius(risk / 4, d, p, rounds) / gap;
    const inside = 5 * unit * radius(risk / 4, k, p, rounds) * hypot(1, tangent) / gap;
    const needed = max(2 * whole, inside);
    const reached = epsilon > needed ? whole / epsilon : null;
    return {
      needed,
      reached,
      after: reached === null ? null : ceil(flowTime(tangent, reached) / (1 - ratio)),
      allowed: onLogs((at) => delta - profile(at, at / sqrt(2 * log(1 / delta))), 1e-6, 1e4),
    };
  };

  // HR-T6.2R with half of epsilon and delta for each stage, and the noise of HR-L4.1 in the first one.
  const rows = ({ m, n, k, row, tail, size, delta, epsilon }) => {
    const width = 2 * k + 1;
    if (width > m || tail > size) return null;
    const share = (at) => {
      const noise = 4 * sqrt(width * log(8 * width / delta) * log(5 / delta)) / at;
      const mu = muFor(at / 2, delta / 2), x = sqrt(2 * n) * width * row / mu, y = row ** 2 / 2;
      const pruned = row > 0 ? x * (x / (hypot(x, y) + y)) : 0;
      return sqrt(2 * tail ** 2 + (m + 1) * noise ** 2 + min(width * n / mu ** 2, pruned)) / size;
    };
    return { error: share(epsilon), needed: share(5) < 1 ? onLogs((at) => share(at) - 1, 1e-6, 5) : null };
  };

  return { orbit, lower, power, rows };
})();

if (typeof document !== "undefined") {
  const told = (value) => (value === null ? "nothing" : String(Number(value.toPrecision(4))));
  for (const form of document.querySelectorAll("form.calculator")) {
    const draw = () => {
      const numbers = Object.fromEntries([...form.elements].filter((field) => field.name)
        .map((field) => [field.name, Number(field.value)]));
      const found = form.checkValidity() ? Calculators[form.dataset.bound](numbers) : null;
      for (const place of form.querySelectorAll("output"))
        place.textContent = found === null ? "not for these numbers" : told(found[place.name]);
    };
    form.oninput = draw;
    form.onsubmit = (event) => event.preventDefault();
    draw();
  }
}
