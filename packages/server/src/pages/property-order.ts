/** Orders endpoints for reading: grouped by resource, parents before children. */
import type { Endpoint, Method } from "@triptych/contracts";

const METHODS: readonly Method[] = ["POST", "GET", "PUT", "PATCH", "DELETE"];
const SEGMENTS_OF_THING = 3;

/** Resources keep the order of the contract, by their first endpoint. */
export function sortEndpoints(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const things = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const thing = endpoint.path.split("/").slice(0, SEGMENTS_OF_THING).join("/");
    things.set(thing, [...(things.get(thing) ?? []), endpoint]);
  }
  return [...things.values()].flatMap((group) => group.toSorted(byPathAndMethod));
}

function byPathAndMethod(one: Endpoint, other: Endpoint): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return METHODS.indexOf(one.method) - METHODS.indexOf(other.method);
}
