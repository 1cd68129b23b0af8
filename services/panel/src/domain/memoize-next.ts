/** The next instant after a moment; null where none exists. */
export type Next = (after: number) => number | null;

/** A response lists five next runs. */
const REMEMBERED = 16;

/**
 * Caches the last consecutive instants for callers that query near the same time. The intervals between two cached instants are known to be
 * empty.
 */
export function rememberNext(next: Next): Next {
  /** Nothing is due between this and the first of `cached`. */
  let from = 0;
  let cached: readonly number[] = [];
  return (after) => {
    const last = cached.at(-1);
    if (last !== undefined && after >= from && after < last) return cached.find((moment) => moment > after) ?? null;
    const moment = next(after);
    if (moment === null) return null;
    if (after === last) {
      cached = [...cached, moment];
      if (cached.length > REMEMBERED) [from = moment, ...cached] = cached;
    } else {
      if (moment !== cached[0]) cached = [moment];
      from = after;
    }
    return moment;
  };
}
