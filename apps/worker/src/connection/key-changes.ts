/** Handles the panel's messages about the licence key: a rotated key, or a rejected one. */
import type { PanelFrame } from "@triptych/contracts";
import { frameText } from "../session/frames.ts";
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
      log("license key rotated; the next connection uses the new key");
    }
    line.send(frameText({ t: "ack", cid }));
  } catch (error) {
    // Not acknowledged: the next start would use the old key.
    line.useKey(key.value);
    log(`writing the new license key to its file failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function onTokenRejected({ key, line, log }: KeyChangeContext): Promise<void> {
  const isNew = await key.readAgain().catch(() => false);
  if (isNew) line.useKey(key.value);
  log(isNew ? OTHER_KEY : REFUSED_KEY);
}

const OTHER_KEY = "license key rejected; its file contains another key, retrying with it in one minute";
const REFUSED_KEY =
  "license key rejected: it was rotated, or belongs to another panel. Restart the worker with the current key in --token-file or PANEL_TOKEN; the dashboard shows it under Account. Retrying in one minute.";
