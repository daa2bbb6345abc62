// What the server counts since its start, as rates and times of the last seconds.
// Works on answers of GET /server_figures; draws nothing.

/** Rates and times are those of this many milliseconds. */
const WINDOW = 10_000;
/** Points of a curve. */
const POINTS = 60;

/** Adds histograms up, or gives an empty one. */
export function sum(histograms) {
  const [first, ...others] = histograms;
  if (!first) return { bounds: [], counts: [], count: 0, sum: 0 };
  const total = { ...first, counts: [...first.counts] };
  for (const other of others) {
    other.counts.forEach((count, index) => (total.counts[index] += count));
    total.count += other.count;
    total.sum += other.sum;
  }
  return total;
}

/** What came to a histogram after an earlier state of it. */
function since(now, before) {
  const counts = now.counts.map((count, index) => count - (before.counts[index] ?? 0));
  return { bounds: now.bounds, counts, count: now.count - before.count, sum: now.sum - before.sum };
}

/** The value that a share of a histogram's entries does not exceed, in seconds; null when it is empty. */
export function quantile(histogram, share) {
  let left = histogram.count * share;
  if (histogram.count <= 0) return null;
  let lower = 0;
  for (const [index, upper] of histogram.bounds.entries()) {
    const count = histogram.counts[index];
    if (count > 0 && left <= count) return lower + ((upper - lower) * left) / count;
    left -= count;
    lower = upper;
  }
  return lower;
}

/** Answers of the last seconds and the curves of the last minutes. */
export class History {
  #samples = [];
  #curves = new Map();

  /** Takes an answer that came at `time` (ms); a restart of the server begins anew. */
  add(figures, time) {
    const last = this.#samples.at(-1);
    if (last && last.figures.started_at !== figures.started_at) {
      this.#samples = [];
      this.#curves.clear();
    }
    this.#samples.push({ figures, time });
    while (this.#samples.length > 2 && time - this.#samples[1].time >= WINDOW) this.#samples.shift();
  }

  /** The latest answer. */
  get now() {
    return this.#samples.at(-1).figures;
  }

  #before() {
    return this.#samples.length > 1 ? this.#samples[0] : null;
  }

  /** How much a number grows in a second; null before the second answer. */
  rate(pick) {
    const before = this.#before();
    if (!before) return null;
    const seconds = (this.#samples.at(-1).time - before.time) / 1000;
    return (pick(this.now) - pick(before.figures)) / seconds;
  }

  /** What came to a histogram lately; all of it before the second answer. */
  recent(pick) {
    const before = this.#before();
    return before ? since(pick(this.now), pick(before.figures)) : pick(this.now);
  }

  /** Adds a value to a curve and returns its points; what is unknown is a gap of zero. */
  curve(name, value) {
    const points = this.#curves.get(name) ?? [];
    points.push(value ?? 0);
    if (points.length > POINTS) points.shift();
    this.#curves.set(name, points);
    return points;
  }
}

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const FINE = new Intl.NumberFormat("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** A number with its unit, as a pair of texts. */
export function count(value) {
  if (value === null) return ["–", ""];
  return [value > 0 && value < 10 && !Number.isInteger(value) ? FINE.format(value) : NUMBER.format(value), ""];
}

/** Seconds as a time that people read. */
export function duration(seconds) {
  if (seconds === null) return ["–", ""];
  if (seconds < 0.001) return [NUMBER.format(seconds * 1e6), "µs"];
  if (seconds < 0.01) return [FINE.format(seconds * 1e3), "ms"];
  if (seconds < 1) return [NUMBER.format(seconds * 1e3), "ms"];
  return [FINE.format(seconds), "s"];
}

/** Bytes in the largest unit that fits. */
export function bytes(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return [(unit > 2 ? FINE : NUMBER).format(value), units[unit]];
}

/** Seconds that the server runs, in the two largest units. */
export function age(seconds) {
  const units = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
  const parts = [];
  for (const [name, size] of units) {
    const whole = Math.floor(seconds / size);
    if (whole > 0 || (name === "s" && parts.length === 0)) parts.push(`${whole} ${name}`);
    seconds -= whole * size;
    if (parts.length === 2) break;
  }
  return [parts.join(" "), ""];
}
