/** Fisher and Yates' shuffle, in place. */
export function shuffle(order: Int32Array, random: () => number): void {
  for (let place = order.length - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    const kept = order[place];
    order[place] = order[other];
    order[other] = kept;
  }
}
