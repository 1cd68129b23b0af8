/** Small pure functions under their usual names. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Nearest-rank quantile; `share` from 0 to 1. */
export function quantile(values: ArrayLike<number>, share: number): number {
  if (values.length === 0) throw new Error("cannot compute a quantile without values");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** Counts code points, so that no surrogate pair is split. */
export function truncate(text: string, max: number): string {
  const characters = Array.from(text);
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** Caches results by text. When `max` results are cached, the cache is cleared. */
export function memoize<Result>(compute: (text: string) => Result, max: number): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= max) results.clear();
    const result = compute(text);
    results.set(text, result);
    return result;
  };
}

/**
 * Formats a cell (RFC 4180), quoted if needed. A leading `#` is quoted too, because many parsers take it for a comment.
 */
export function csvCell(text: string): string {
  return /^#|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Levenshtein distance with adjacent transpositions (optimal string alignment), in code units. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforeLast[column - 2] + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length];
}
