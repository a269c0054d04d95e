/** Numbers for people. */

export function formatNumber(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value
    .toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace(/^-/, "\u2212");
}

/** Returns a score with as many digits as its size deserves. */
export function formatScore(value: number | null | undefined): string {
  const size = Math.abs(value ?? 0);
  return formatNumber(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 2 ? 2 : 3);
}

export function formatPercent(share: number | null | undefined, digits = 0): string {
  return share === null || share === undefined
    ? "–"
    : `${formatNumber(100 * share, digits)}\u00a0%`;
}

/** Returns a p-value, which is never 0. */
export function formatP(p: number | null | undefined): string {
  return typeof p === "number" && p < 0.001 ? "< 0.001" : formatNumber(p, 3);
}

export function formatUsd(value: number | null | undefined): string {
  return value === null || value === undefined
    ? "–"
    : `$${formatNumber(value, value > 0 && value < 0.1 ? 5 : 2)}`;
}

export function countOf(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
