/**
 * Out-of-scope rows of a calibration, mixed with the examples at a given share. There are three kinds: examples of the
 * owner without a route; background texts; and the examples themselves without their correct route, as requests of the
 * same domain that no route covers. The fewer texts a route has, the more of its domain is uncovered, and the more
 * out-of-scope requests resemble its texts. So a head with few texts uses the nearest third of the background only, and
 * as many examples with their route taken away; a head with many texts uses nearly all of the background, and few of
 * its examples.
 */
export interface MixInput {
  /** Number of examples with a route. */
  readonly inside: number;
  readonly routes: number;
  /** Number of the owner's examples without a route. */
  readonly own: number;
  /** Number of background texts. */
  readonly background: number;
  /** Share of out-of-scope rows in the mixture, 0 to 0.9. */
  readonly share: number;
}

export interface Mix {
  /** Weight of each background text, and of each example without its correct route. */
  readonly backgroundWeight: number;
  readonly maskedWeight: number;
  /** Rows of each kind in an unweighted mixture of that share. */
  readonly backgroundRows: number;
  readonly maskedRows: number;
}

/** A head has few texts if its routes have fewer on average. */
const FEW_TEXTS = 20;
const MASKED_SHARE_MAX = 1 / 2;
const FAR_SHARE_MAX = 2 / 3;

/** This many background texts suffice to calibrate a small head; more take time without changing a metric. */
const BACKGROUND_ENOUGH = 300;

/** Indices of the background texts to use, nearest first. `cosines`: the cosine of each text with its nearest route. */
export function nearestBackground(
  cosines: ArrayLike<number>,
  { inside, routes, share }: Pick<MixInput, "inside" | "routes" | "share">,
): number[] {
  const near = Array.from(cosines, (_, index) => index)
    .sort((a, b) => cosines[b] - cosines[a] || a - b)
    .slice(0, Math.ceil(cosines.length * (1 - FAR_SHARE_MAX * uncoveredShare(inside, routes))));
  const enough = Math.max(BACKGROUND_ENOUGH, inside, Math.round((inside * share) / (1 - share)));
  return evenly(near.length, Math.min(near.length, enough)).map((index) => near[index]);
}

export function mixOutside({ inside, routes, own, background, share }: MixInput): Mix {
  const outside = Math.max(0, (inside * share) / (1 - share) - own);
  const fromBackground = background === 0 ? 0 : outside * (1 - MASKED_SHARE_MAX * uncoveredShare(inside, routes));
  const backgroundRows = Math.min(background, Math.round(fromBackground));
  return {
    backgroundWeight: background === 0 ? 0 : fromBackground / background,
    maskedWeight: inside === 0 ? 0 : (outside - fromBackground) / inside,
    backgroundRows,
    maskedRows: Math.min(inside, Math.round(outside) - backgroundRows),
  };
}

function uncoveredShare(inside: number, routes: number): number {
  return Math.min(1, (FEW_TEXTS * routes) / Math.max(1, inside));
}

/** Returns `count` indices below `length`, evenly spread. */
export function evenly(length: number, count: number): number[] {
  return Array.from({ length: count }, (_, n) => Math.floor(((n + 0.5) * length) / count));
}
