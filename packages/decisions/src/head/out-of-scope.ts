/**
 * Out-of-scope rows of a calibration, mixed with the examples at a given share. Three kinds: examples of the owner
 * without a route; background texts; and the examples themselves with their route taken away, as requests of the
 * same domain that no route covers.
 *
 * The fewer texts a route has, the more of its domain is not covered, and the more requests out of scope resemble its
 * texts. So a head with few texts uses the nearest third of the background only, and as many examples with their
 * route taken away; a head with many texts uses nearly all of the background, and few of its examples.
 */
export interface MixInput {
  /** Number of examples with a route. */
  readonly inside: number;
  readonly routes: number;
  /** Number of examples of the owner without a route. */
  readonly own: number;
  /** Cosine of each background text with its nearest route. */
  readonly background: readonly number[];
  /** Share of out-of-scope rows in the mixture, 0 to 0.9. */
  readonly share: number;
}

export interface Mix {
  /** Indices of the background texts to use. */
  readonly background: readonly number[];
  /** Weight of each background text, and of each example with its route taken away. */
  readonly backgroundWeight: number;
  readonly maskedWeight: number;
  /** Rows of each kind in an unweighted mixture of that share. */
  readonly backgroundRows: number;
  readonly maskedRows: number;
}

/** Texts per route below which a head has few. */
const FEW_TEXTS = 20;
const MASKED_SHARE_MAX = 1 / 2;
const FAR_SHARE_MAX = 2 / 3;

export function mixOutside({ inside, routes, own, background, share }: MixInput): Mix {
  const outside = Math.max(0, (inside * share) / (1 - share) - own);
  const uncovered = Math.min(1, (FEW_TEXTS * routes) / Math.max(1, inside));
  const nearest = [...background.keys()]
    .toSorted((a, b) => background[b] - background[a] || a - b)
    .slice(0, Math.ceil(background.length * (1 - FAR_SHARE_MAX * uncovered)));
  const fromBackground = nearest.length === 0 ? 0 : outside * (1 - MASKED_SHARE_MAX * uncovered);
  const backgroundRows = Math.min(nearest.length, Math.round(fromBackground));
  return {
    background: nearest,
    backgroundWeight: nearest.length === 0 ? 0 : fromBackground / nearest.length,
    maskedWeight: inside === 0 ? 0 : (outside - fromBackground) / inside,
    backgroundRows,
    maskedRows: Math.min(inside, Math.round(outside) - backgroundRows),
  };
}

/** `count` of the indices below `length`, evenly spread. */
export function evenly(length: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => Math.floor(((n + 0.5) * length) / count));
}
