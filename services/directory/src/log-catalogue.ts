/** What happens to the versions of the catalogue, as log lines. */
import type { StoreEvent } from "./store/directory-store.ts";

const LINES: Readonly<Record<StoreEvent["what"], readonly ["info" | "warn" | "error", string]>> = {
  serving: ["info", "serving a version of the catalogue"],
  closed: ["info", "closed an old version of the catalogue"],
  fetched: ["info", "fetched a snapshot from the store"],
  rebuilt: ["info", "rebuilt a snapshot from the stored items"],
  refused: ["warn", "refused a snapshot file"],
  differs: ["warn", "a rebuilt snapshot differs from the published one"],
  damaged: ["error", "the served snapshot is damaged; opening it again"],
  "not opened": ["error", "a version could not be opened; the last one stays, retrying"],
};

type Logger = Readonly<Record<"info" | "warn" | "error", (fields: object, message: string) => void>>;

export function logCatalogue(logger: Logger): (event: StoreEvent) => void {
  return (event) => {
    const [level, message] = LINES[event.what];
    logger[level](event, message);
  };
}
