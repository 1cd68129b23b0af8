export function shuffle(order: Int32Array, random: () => number): void {
  for (let index = order.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    const swapped = order[index];
    order[index] = order[other];
    order[other] = swapped;
  }
}
