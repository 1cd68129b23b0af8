export interface JudgedRow {
  readonly confidence: number;
  readonly isRight: boolean;
}

export interface FeedbackFigures {
  readonly n: number;
  readonly accuracy: number | null;
  readonly ece: number | null;
  readonly drift: number | null;
}

export function feedbackFigures(rows: readonly JudgedRow[], trainedAccuracy: number | null): FeedbackFigures {
  const n = rows.length;
  if (n === 0) return { n, accuracy: null, ece: null, drift: null };
  const accuracy = rows.filter(({ isRight }) => isRight).length / n;
  return {
    n,
    accuracy,
    ece: calibrationError(rows),
    drift: trainedAccuracy === null ? null : trainedAccuracy - accuracy,
  };
}

/** Equal-mass bins: 15, or one per 20 rows below 300 rows. */
function calibrationError(rows: readonly JudgedRow[]): number {
  const n = rows.length;
  const bins = n < 300 ? Math.max(1, Math.floor(n / 20)) : 15;
  const sorted = rows.toSorted((a, b) => a.confidence - b.confidence);
  let error = 0;
  for (let bin = 0; bin < bins; bin++) {
    const rowsOfBin = sorted.slice(Math.floor((bin * n) / bins), Math.floor(((bin + 1) * n) / bins));
    const gap = rowsOfBin.reduce((sum, { confidence, isRight }) => sum + confidence - (isRight ? 1 : 0), 0);
    error += Math.abs(gap) / n;
  }
  return error;
}
