/**
 * Vectors cut from larger arrays: allocating each one separately costs four times as much, and again in garbage
 * collection. A retained vector retains its neighbors, so they should have similar lifetimes.
 */
const AT_ONCE = 32;

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
