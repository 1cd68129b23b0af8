import type { DetectedSetting, RepoSettings } from "@triptych/contracts";

export interface ContactRecord {
  readonly repoId: string;
  readonly nextAt: number | null;
  readonly checkedAt: number | null;
  readonly canPush: boolean | null;
  readonly canOpenPr: boolean | null;
  /** The repo was added without this command: the first contact detects it. */
  readonly detectsVerify: boolean;
  readonly detectsSetup: boolean;
  /** Detected by the first contact and unchanged since. */
  readonly detected: readonly DetectedSetting[];
  readonly hosts: readonly string[];
}

export const RECHECK_MS = 10 * 60_000;
/** After this, another node may take over an unfinished check. */
export const CHECK_LEASE_MS = 2 * 60_000;

export function firstContact(
  repoId: string,
  now: number,
  detects: Pick<ContactRecord, "detectsVerify" | "detectsSetup"> = { detectsVerify: false, detectsSetup: false },
): ContactRecord {
  return { repoId, nextAt: now, checkedAt: null, canPush: null, canOpenPr: null, ...detects, detected: [], hosts: [] };
}

/** A command that its owner has changed does not count as detected. */
export function stillDetected(
  detected: readonly DetectedSetting[],
  before: RepoSettings,
  after: RepoSettings,
): readonly DetectedSetting[] {
  const commandOf = (settings: RepoSettings, name: DetectedSetting) =>
    name === "setup_cmd" ? settings.verify.setup_cmd : settings.verify_cmd;
  return detected.filter((name) => commandOf(before, name) === commandOf(after, name));
}
