/** How often a property is tried: a few times in `npm test`, as often as it says in `npm run test:long`. */
export function runs(often: number): number {
  return process.env["TRIPTYCH_LONG"] === undefined ? Math.ceil(often / SHORT) : often;
}

const SHORT = 4;
