/** Handles the panel's messages about the licence key: a rotated key, or a rejected one. */
import type { PanelFrame } from "@triptych/contracts";
import { frameText } from "./frames.ts";
import type { LicenseKey } from "./license-key.ts";
import type { Connection } from "./connection.ts";

interface KeyChangeContext {
  readonly key: LicenseKey;
  readonly line: Connection;
  readonly log: (text: string) => void;
}

type Rotation = Extract<PanelFrame, { readonly t: "token_rotated" }>;

export async function onTokenRotated(
  { cid, license_key, generation }: Rotation,
  { key, line, log }: KeyChangeContext,
): Promise<void> {
  try {
    if (await key.rotate(license_key, generation)) {
      line.useKey(key.value);
      log("the licence key was rotated: the new one is used from the next connection on");
    }
    line.send(frameText({ t: "ack", cid }));
  } catch (error) {
    // Not acknowledged: the next start would use the old key.
    line.useKey(key.value);
    log(`the new licence key could not be kept in its file: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function onTokenRejected({ key, line, log }: KeyChangeContext): Promise<void> {
  const isNew = await key.readAgain().catch(() => false);
  if (isNew) line.useKey(key.value);
  log(isNew ? OTHER_KEY : REFUSED_KEY);
}

const OTHER_KEY = "the panel refused the licence key; its file holds another one by now, which is tried in a minute";
const REFUSED_KEY =
  "the panel refused the licence key: it was rotated, or is not one of this panel. Start the worker again with the new one in --token-file or PANEL_TOKEN; the dashboard shows it under Account. The next try is in a minute.";
