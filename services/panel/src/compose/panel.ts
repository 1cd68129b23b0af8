/** Composes the dependencies of handlers and commands. */
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { ulid } from "@triptych/ids";
import { createKeyring, createRotatingSeal, type Secrets } from "@triptych/encryption";
import { createSecrets } from "./access.ts";
import type { PanelConfig } from "../config.ts";
import type { PanelStore } from "../domain/repositories.ts";
import type { ConnectedWorkers, Panel } from "../domain/panel.ts";
import { createStatementKeys } from "../domain/statement-keys.ts";
import { createPasswords } from "./passwords.ts";

export const SEAL_PURPOSE = "panel seal";

export interface PanelParts {
  readonly config: PanelConfig;
  readonly store: PanelStore;
  readonly secret: string | Secrets;
  readonly workers: ConnectedWorkers;
}

export function openPanel({ config, store, secret, workers }: PanelParts): Omit<Panel, "url"> {
  const seal = createRotatingSeal(createKeyring(secret), SEAL_PURPOSE, randomBytes);
  const [now, random] = [Date.now, randomBytes];
  return {
    store,
    seal,
    statementKeys: createStatementKeys({ repository: store.signingKeys, seal, now, random }),
    passwords: createPasswords(),
    secrets: createSecrets(randomBytes),
    workers,
    now,
    random,
    newId: (prefix) => ulid(prefix, Date.now(), randomBytes),
    allows: allowsOf(config),
  };
}

/** Outside production, the demo repository may be on this disk, and forges in private networks. */
function allowsOf(config: PanelConfig): Panel["allows"] {
  const isProduction = config.NODE_ENV === "production";
  const demo = `${demoFolder(config.TRIPTYCH_DATA)}/`;
  const allLocal = config.PANEL_ALLOW_LOCAL_REPOS === "1";
  return {
    localRepo: (path) => allLocal || (!isProduction && path.startsWith(demo)),
    privateHosts:
      config.PANEL_ALLOW_PRIVATE_HOSTS === undefined ? !isProduction : config.PANEL_ALLOW_PRIVATE_HOSTS === "1",
    isolationMin: config.PANEL_ISOLATION_MIN ?? (isProduction ? "sandbox" : "none"),
  };
}

export function demoFolder(dataFolder: string): string {
  return join(resolve(dataFolder), "demo");
}
