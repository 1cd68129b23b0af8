/** Iterations of a property: few in `npm test`, the given number in `npm run test:long`. */
export function runs(often: number): number {
  return process.env["TEST_LONG"] === undefined ? Math.ceil(often / SHORT) : often;
}

const SHORT = 4;
