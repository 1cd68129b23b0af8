/** Bus and delivery as the service opens them, in a temporary folder with a manual clock. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, formatSecretLocation, findSecrets } from "@triptych/redaction";
import { deriveKey } from "@triptych/encryption";
import { fileBlobs } from "../../src/blobs/file-blobs.ts";
import { openBus } from "../../src/bus/open-bus.ts";
import type { Panel } from "../../src/domain/panel.ts";
import { createDeliveryMetrics } from "../../src/delivery/metrics.ts";
import { anyAddress } from "../../src/git/addresses.ts";
import { openDeliveryServices, type DeliveryServicesOptions } from "../../src/compose/delivery-services.ts";

/** Polls only on a hint or on demand. */
const NO_TIMERS = { after: () => () => {} };

export type DeliveryOverrides = Partial<
  Pick<DeliveryServicesOptions, "timers" | "onNotice" | "forgeMs" | "by" | "mirrorLimits" | "checksRepos">
>;

export async function openTestServices(
  about: Pick<Panel, "store" | "seal" | "statementKeys" | "now" | "newId">,
  onError: (error: unknown) => void,
  overrides: DeliveryOverrides = {},
) {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "panel-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const bus = opened.use(await openBus({ ...about, runToken: () => null, onError }));
  const blobs = await fileBlobs(join(folder, "blobs"));
  const metrics = createDeliveryMetrics(about.store.system);
  const deliveryServices = opened.use(
    await openDeliveryServices({
      ...about,
      tokenKeys: {
        run: deriveKey("s".repeat(32), "panel run tokens"),
        check: deriveKey("s".repeat(32), "panel check tokens"),
      },
      folder,
      blobs,
      resolve: anyAddress,
      findSecrets: async (secretsByValue, added) =>
        (await findSecrets(createRedactor(secretsByValue), added)).map(formatSecretLocation),
      redact: bus.redact,
      by: "nod_test",
      panelUrl: () => "http://panel.test",
      timers: NO_TIMERS,
      meter: metrics,
      onError,
      onNotice: () => {},
      ...overrides,
    }),
  );
  const parts = opened.move();
  return { folder, metrics, blobs, bus, deliveryServices, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
