// Numbers as people read them: three significant digits, one unit per value and its
// interval, a real minus sign. The full value stays beside it (parts/number.js).
const MINUS = "\u2212";
const NBSP = "\u00a0";

const finite = (v) => typeof v === "number" && Number.isFinite(v);
/** A real minus sign; nothing has none. */
const sign = (text) => text.replace(/^-/, /[1-9]/.test(text) ? MINUS : "");

/**
 * With so many decimals as C's printf writes it: of two that are equally near, the even one. 0.0625
 * is 0.062 in the terminal and here; toFixed makes 0.063 of it.
 */
export function fixed(v, digits) {
  const long = v.toFixed(digits + 30);
  const down = long.slice(0, -30).replace(/\.$/, "");
  return /^50*$/.test(long.slice(-30)) && /[02468]$/.test(down) ? down : v.toFixed(digits);
}

/** 10,000 and more with commas. */
export function group(v, digits = 0) {
  const text = Math.abs(v).toFixed(digits);
  const [whole, rest] = text.split(".");
  const commas = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return (v < 0 && Number(text) !== 0 ? MINUS : "") + commas + (rest ? `.${rest}` : "");
}

/** Three significant digits, without an exponent where it can be avoided. */
export function sig(v, digits = 3) {
  if (!finite(v)) return "–";
  if (v === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(Number(v.toPrecision(digits)))));
  if (size < -6 || size > 14) return sign(v.toExponential(digits - 1).replace("e+", "e").replace("e-", `e${MINUS}`));
  return group(Number(v.toPrecision(digits)), Math.max(0, digits - 1 - size));
}

const TIMES = [
  [1e-9, "ns"],
  [1e-6, "µs"],
  [1e-3, "ms"],
  [1, "s"],
  [60, "min"],
  [3600, "h"],
];

/** The unit in which `v` seconds read best: [factor, name]. */
export function timeUnit(v) {
  const size = Math.abs(v);
  if (!(size > 0)) return TIMES[3];
  if (size >= 7200) return TIMES[5];
  if (size >= 120) return TIMES[4];
  let unit = TIMES[0];
  for (const one of TIMES.slice(0, 4)) if (size >= one[0] * 0.9995) unit = one;
  return unit;
}

const BYTES = [
  [1, "B"],
  [1e3, "kB"],
  [1e6, "MB"],
  [1e9, "GB"],
];
const sizeUnit = (v) => BYTES.findLast(([factor]) => Math.abs(v) >= factor) ?? BYTES[0];

function usd(v) {
  const size = Math.abs(v);
  const text = size >= 0.1 || size === 0 ? size.toFixed(2) : size.toPrecision(2);
  const plain = /e/.test(text) ? size.toFixed(Math.min(20, 1 - Math.floor(Math.log10(size)))) : text;
  return (v < 0 ? MINUS : "") + "$" + (size === 0 ? "0" : plain.replace(/^(\d{5,})/, (d) => group(Number(d))));
}

/**
 * The kinds of numbers. Each takes the value and the value that chooses the unit (that
 * of the estimate, for both ends of its interval), and gives [text, unit].
 */
const KINDS = {
  score: (v) => [sign(fixed(v, 3)), ""],
  score2: (v) => [sign(fixed(v, 2)), ""],
  int: (v) => [group(Math.round(v)), ""],
  sig: (v) => [sig(v), ""],
  ratio: (v) => [sig(v), " ×"],
  pct: (v) => [sign(fixed(v * 100, Math.abs(v) < 0.0995 && v !== 0 ? 1 : 0)), `${NBSP}%`],
  pct0: (v) => [v > 0 && v <= 0.005 ? "<1" : v < 1 && v >= 0.995 ? ">99" : fixed(v * 100, 0), `${NBSP}%`],
  signed_pct: (v) => [(v > 0 ? "+" : "") + sign(fixed(v * 100, 1)), `${NBSP}%`],
  signed: (v) => [(v > 0 ? "+" : "") + sig(v), ""],
  points: (v) => [(v > 0 ? "+" : "") + sign(fixed(v * 100, 1)), ""],
  signed3: (v) => [(v > 0 ? "+" : "") + sign(fixed(v, 3)), ""],
  p: (v) => [v < 1e-16 ? `< 1e${MINUS}16` : v < 1e-4 ? sign(v.toExponential(0).replace("e-", `e${MINUS}`)) : sig(v, 2), ""],
  usd: (v) => [usd(v), ""],
  usd1000: (v) => [usd(v * 1000), ""],
  s: (v, unitOf) => {
    const [factor, name] = timeUnit(finite(unitOf) && unitOf !== 0 ? unitOf : v);
    return [sig(v / factor), `${NBSP}${name}`];
  },
  ms: (v, unitOf) => KINDS.s(v / 1000, unitOf / 1000),
  MB: (v) => [sig(v), `${NBSP}MB`],
  B: (v, unitOf) => {
    const [factor, name] = sizeUnit(finite(unitOf) ? unitOf : v);
    return [sig(v / factor), `${NBSP}${name}`];
  },
  "1/s": (v) => [sig(v), "/s"],
  "%": (v) => [sig(v), `${NBSP}%`],
  USD: (v) => [usd(v), ""],
};

/** Text and unit of `v`, apart. */
export function formatParts(v, kind = "sig", unitOf = v) {
  if (!finite(v)) return ["–", ""];
  return (KINDS[kind] ?? ((x) => [sig(x), kind && kind !== "1" ? NBSP + kind : ""]))(v, unitOf);
}

export function format(v, kind, unitOf) {
  const [text, unit] = formatParts(v, kind, unitOf);
  return text + unit;
}

/** Which kind a metric's unit asks for. */
export const kindOf = (unit) => (unit === "1" || !unit ? "sig" : unit);

/** "duration_s" as "duration": the unit stands beside each value. */
export const metricName = (name) =>
  name
    .replace(/_(s|mb|usd|ms|bytes|percent)$/, "")
    .replace(/_per$/, " per second")
    .replaceAll("_", " ");

/** Ids are told apart by their first two groups; the whole is in the title. */
export const shortId = (id) => (id ? id.split("-").slice(0, 2).join("-") : "");
export const shortCommit = (commit) => (commit ? commit.slice(0, 7) : null);

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "short" });

/** "today 10:31", "Sun 22:40", "3 Nov 08:15", "3 Nov 2025". */
export function when(iso, now = new Date()) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "–";
  const age = (now - at) / 86400e3;
  if (at.toDateString() === now.toDateString()) return `today ${CLOCK.format(at)}`;
  if (age > 0 && age < 6) return `${WEEKDAY.format(at)} ${CLOCK.format(at)}`;
  if (at.getFullYear() === now.getFullYear()) return `${DAY.format(at)} ${CLOCK.format(at)}`;
  return `${DAY.format(at)} ${at.getFullYear()}`;
}

/** "1 case", "3 cases". */
export const plural = (n, one, many = `${one}s`) => (n === 1 ? one : many);
