/** One fixture for all stories of a file, opened before the first and closed after the last. */
import { after, before } from "node:test";
import { withoutBrowser } from "@triptych/server/testing";
import { openPanelFixture, type PanelFixture } from "./panel-fixture.ts";

/** @param took receives the fixture, and may add data. @param variables of the panel. */
export function withPanel(
  took: (fixture: PanelFixture) => unknown,
  variables: Readonly<Record<string, string>> = {},
): void {
  let fixture: PanelFixture | null = null;
  before(async () => {
    if (withoutBrowser !== false) return;
    fixture = await openPanelFixture(variables);
    await took(fixture);
  });
  after(async () => fixture?.[Symbol.asyncDispose]());
}
