/** xorshift32 (Marsaglia 2003): numbers in [0, 1). The same seed gives the same numbers on every platform. */
export function xorshift(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 4_294_967_296;
  };
}

export function shuffle(order: Int32Array, random: () => number): void {
  for (let index = order.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    const swapped = order[index];
    order[index] = order[other];
    order[other] = swapped;
  }
}
