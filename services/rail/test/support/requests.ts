/** All distinct orders of a list with possible duplicates. */
export function orders(things: readonly string[]): string[][] {
  if (things.length === 0) return [[]];
  return [...new Set(things)].flatMap((first) => {
    const at = things.indexOf(first);
    return orders(things.toSpliced(at, 1)).map((rest) => [first, ...rest]);
  });
}
