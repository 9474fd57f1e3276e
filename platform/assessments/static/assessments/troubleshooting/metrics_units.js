// Figures with their units, as short as a chart needs them.

const LARGE = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
const SMALL = [
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];
const SCALED = new Set(["B", "B/s", "Hz", "W", "/s", "mJ/s", "mJ", "MiB"]);
const PLAIN_FROM = { W: 10_000, "": 1_000_000 };

function digits(value) {
  const size = Math.abs(value);
  return value.toLocaleString(
    "en-GB",
    size >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: size >= 100 ? 4 : 3 },
  );
}

function scaled(value, steps) {
  const [size, sign] = steps.find(([at]) => Math.abs(value) >= at) || [1, ""];
  return [value / size, sign];
}

/** A value in a unit: "1.98 GB/s", "12.4 ms", "1,980 MHz"; a gap is a dash. */
export function amount(value, unit = "") {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "+∞" : "−∞";
  if (value === 0) return unit ? `0 ${unit}` : "0";
  if (unit === "s" && Math.abs(value) < 1) {
    const [part, sign] = scaled(value, SMALL);
    return `${digits(part)} ${sign}s`;
  }
  if (unit === "MiB" && Math.abs(value) >= 1024) return `${digits(value / 1024)} GiB`;
  if (SCALED.has(unit) && unit !== "MiB" && Math.abs(value) >= (PLAIN_FROM[unit] ?? 1000)) {
    const [part, sign] = scaled(value, LARGE);
    return `${digits(part)} ${sign}${unit}`;
  }
  if (unit === "" && Math.abs(value) >= PLAIN_FROM[""]) {
    const [part, sign] = scaled(value, LARGE);
    return `${digits(part)} ${sign}`.trim();
  }
  return unit ? `${digits(value)} ${unit}` : digits(value);
}

/** Lowest and highest of a stretch of time, or the one value that both are. */
export function between(low, high, unit) {
  if (low === high || Number.isNaN(low)) return amount(low, unit);
  const [a, b] = [amount(low, unit), amount(high, unit)];
  if (a === b) return a;
  const [first, sign] = a.split(" ");
  return sign !== undefined && b.endsWith(` ${sign}`) ? `${first} – ${b}` : `${a} – ${b}`;
}
