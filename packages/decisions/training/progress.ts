/** What a training says on its way, each line with the seconds since it began, on standard error. */
export function sayProgress(): (message: string) => void {
  const began = performance.now();
  return (message) =>
    void process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${message}\n`);
}
