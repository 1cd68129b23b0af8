/** One house for all stories of a file, opened before the first and closed after the last. */
import { after, before } from "node:test";
import { withoutBrowser } from "@triptych/server/testing";
import { openHouse, type House } from "./house.ts";

/** @param took receives the house, and may add data. @param variables of the panel. */
export function withHouse(took: (house: House) => unknown, variables: Readonly<Record<string, string>> = {}): void {
  let house: House | null = null;
  before(async () => {
    if (withoutBrowser !== false) return;
    house = await openHouse(variables);
    await took(house);
  });
  after(async () => house?.[Symbol.asyncDispose]());
}
