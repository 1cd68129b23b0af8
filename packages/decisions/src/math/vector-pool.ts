/**
 * Vectors cut from larger arrays: an array of its own costs four times as much to make, and as much again to clear away. One that is
 * kept keeps its neighbours, so they should grow old together.
 */
const AT_ONCE = 32;

/** Each is of `dims` zeros. */
export function createVectorPool(dims: number): () => Float64Array {
  let block = new Float64Array(dims * AT_ONCE);
  let next = 0;
  return () => {
    if (next === block.length) {
      block = new Float64Array(dims * AT_ONCE);
      next = 0;
    }
    const vector = new Float64Array(block.buffer, next * Float64Array.BYTES_PER_ELEMENT, dims);
    next += dims;
    return vector;
  };
}
