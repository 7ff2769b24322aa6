// From values to places on the page, and round numbers to mark them.

/** A linear scale from [from, to] to [start, end]. */
export function linear([from, to], [start, end]) {
  const slope = to === from ? 0 : (end - start) / (to - from);
  const at = (v) => (to === from ? (start + end) / 2 : start + (v - from) * slope);
  at.domain = [from, to];
  at.range = [start, end];
  return at;
}

/** The same by logarithms; both ends above 0. */
export function logarithmic([from, to], range) {
  const inner = linear([Math.log10(from), Math.log10(to)], range);
  const at = (v) => inner(Math.log10(Math.max(v, from * 1e-3)));
  at.domain = [from, to];
  at.range = range;
  at.log = true;
  return at;
}

/** About `count` round numbers in [low, high]. */
export function ticks([low, high], count = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((m) => m * power >= raw * 0.999) * power;
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    out.push(Number((i * step).toPrecision(12)));
  }
  return out;
}

/** 1, 2, 5 of each power of ten between low and high; fewer if there are many. */
export function logTicks([low, high], most = 9) {
  for (const mantissas of [[1, 2, 5], [1, 3], [1]]) {
    const out = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      for (const m of mantissas) {
        const v = m * 10 ** e;
        if (v >= low * 0.999 && v <= high * 1.001) out.push(Number(v.toPrecision(6)));
      }
    }
    if (out.length <= most) return out;
  }
  const all = logTicks([low, high], Infinity).filter((v) => Math.log10(v) % 1 === 0);
  const every = Math.ceil(all.length / most);
  return all.filter((_, i) => i % every === 0);
}

/** [smallest, largest] of finite values, or null. */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (typeof v !== "number" || !Number.isFinite(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : null;
}

/** A range widened by a share on both sides; one value gets some room. */
export function padded([low, high], share = 0.05) {
  const room = (high - low) * share || Math.abs(high) * share || 1;
  return [low - room, high + room];
}

/** Logarithmic from a spread of 20 on, if all is above 0. */
export function autoScale(values, range, share = 0.05) {
  const [low, high] = extent(values) ?? [0, 1];
  if (low > 0 && high / low >= 20) {
    const room = (high / low) ** share;
    return logarithmic([low / room, high * room], range);
  }
  return linear(padded([low, high], share), range);
}

export const ticksOf = (scale, count) => (scale.log ? logTicks(scale.domain, count + 2) : ticks(scale.domain, count));

/** The value below which `share` of the sorted values lies (type 7). */
export function quantile(sorted, share) {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  return sorted[low] + (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]) * (at - low);
}

/** Always the same sequence of numbers in [0, 1) for one seed: the same picture each time. */
export function seeded(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}
