/** What comes next after a moment, or null where nothing does. */
export type Next = (after: number) => number | null;

/** Next runs are told five at a time. */
const REMEMBERED = 16;

/**
 * The same, for those who ask again and again for what comes next after about now: the few moments that were told last are remembered,
 * one after the other without a hole, and what lies between two of them is known to be empty.
 */
export function rememberNext(next: Next): Next {
  /** Nothing is between it and the first of `told`. */
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
