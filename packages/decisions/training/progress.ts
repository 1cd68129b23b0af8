/** Training progress on standard error, with seconds since the start. */
export function sayProgress(): (message: string) => void {
  const began = performance.now();
  return (message) =>
    void process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${message}\n`);
}
