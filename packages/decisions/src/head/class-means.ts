export interface LabelledVectors {
  /** n x dims. */
  readonly vectors: Float32Array;
  readonly labels: Int32Array;
  readonly dims: number;
  readonly classes: number;
}

/** The mean vector of each class, scaled to `length`; zeros for a class without rows. */
export function classMeans({ vectors, labels, dims, classes }: LabelledVectors, length = 1): Float64Array {
  const means = new Float64Array(classes * dims);
  for (let row = 0; row < labels.length; row++) {
    const origin = labels[row] * dims;
    for (let d = 0; d < dims; d++) means[origin + d] += vectors[row * dims + d];
  }
  for (let c = 0; c < classes; c++) {
    let square = 0;
    for (let d = 0; d < dims; d++) square += means[c * dims + d] ** 2;
    const factor = square === 0 ? 0 : length / Math.sqrt(square);
    for (let d = 0; d < dims; d++) means[c * dims + d] *= factor;
  }
  return means;
}
