/**
 * Sums over table rows, the innermost loops of training. The order of the additions is fixed, because it affects the
 * result.
 */

interface Addition {
  readonly weight: number;
  readonly dims: number;
  readonly from?: number;
  readonly until?: number;
}

export function addRows(
  target: { readonly values: Float32Array; readonly base: number },
  rows: Float32Array,
  list: ArrayLike<number>,
  { weight, dims, from = 0, until = list.length }: Addition,
): void {
  const { values, base } = target;
  let index = from;
  for (; index + 4 <= until; index += 4) {
    const r0 = list[index] * dims;
    const r1 = list[index + 1] * dims;
    const r2 = list[index + 2] * dims;
    const r3 = list[index + 3] * dims;
    for (let d = 0; d < dims; d++)
      values[base + d] += weight * (rows[r0 + d] + rows[r1 + d] + (rows[r2 + d] + rows[r3 + d]));
  }
  for (; index < until; index++) {
    const row = list[index] * dims;
    for (let d = 0; d < dims; d++) values[base + d] += weight * rows[row + d];
  }
}

/** `dims` must be a multiple of four. */
export function dot(a: Float32Array, from: number, b: Float32Array, other: number, dims: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let d = 0; d < dims; d += 4) {
    s0 += a[from + d] * b[other + d];
    s1 += a[from + d + 1] * b[other + d + 1];
    s2 += a[from + d + 2] * b[other + d + 2];
    s3 += a[from + d + 3] * b[other + d + 3];
  }
  return s0 + s1 + (s2 + s3);
}
