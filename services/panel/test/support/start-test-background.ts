/** Bus and hand-over as the service opens them, in a folder of their own, on a clock that a test moves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, describePlace, findSecrets } from "@triptych/redaction";
import { deriveKey } from "@triptych/encryption";
import { fileBlobs } from "../../src/blobs/file-blobs.ts";
import { openBus } from "../../src/bus/open-bus.ts";
import type { Panel } from "../../src/domain/panel.ts";
import { createHandoverMetrics } from "../../src/delivery-metrics.ts";
import { anyAddress } from "../../src/git/addresses.ts";
import { openHandover, type HandoverOptions } from "../../src/compose-delivery.ts";

/** What is due is looked for when a hint comes, or when a test asks. */
const NO_TIMERS = { after: () => () => {} };

export type HandoverWish = Partial<Pick<HandoverOptions, "timers" | "forgeMs" | "by" | "mirrorLimits" | "checksRepos">>;

export async function openTestRooms(
  about: Pick<Panel, "store" | "seal" | "now" | "newId">,
  onTrouble: (error: unknown) => void,
  wish: HandoverWish = {},
) {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "panel-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bus = opened.use(await openBus({ ...about, runToken: () => null, onFault: onTrouble }));
  const blobs = await fileBlobs(join(folder, "blobs"));
  const metrics = createHandoverMetrics(about.store.doors);
  const handover = opened.use(
    await openHandover({
      ...about,
      tokenKeys: {
        run: deriveKey("s".repeat(32), "panel run tokens"),
        check: deriveKey("s".repeat(32), "panel check tokens"),
      },
      folder,
      blobs,
      resolve: anyAddress,
      findSecrets: async (known, added) => (await findSecrets(createRedactor(known), added)).map(describePlace),
      redact: bus.redact,
      by: "nod_test",
      timers: NO_TIMERS,
      meter: metrics,
      onTrouble,
      ...wish,
    }),
  );
  const parts = opened.move();
  return { folder, metrics, blobs, bus, handover, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
