/** Rows of a table on standard output, each column as wide as it is said to be; the titles come with the first row. */
export function printTable(
  columns: readonly (readonly [title: string, width: number])[],
): (cells: readonly string[]) => void {
  let begun = false;
  return (cells) => {
    if (!begun) print(columns.map(([title]) => title));
    begun = true;
    print(cells);
  };

  function print(cells: readonly string[]): void {
    const line = cells.map((cell, place) => cell.padEnd(columns[place][1])).join("");
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}

export function percent(share: number): string {
  return Number.isFinite(share) ? (100 * share).toFixed(1) : "-";
}
