/** When a repo was reached last and with what rights, and when it is looked at again. */
import type { DetectedSetting, RepoSettings } from "@triptych/contracts";

export interface ContactRecord {
  readonly repoId: string;
  /** Null: not by itself. */
  readonly nextAt: number | null;
  readonly checkedAt: number | null;
  readonly canPush: boolean | null;
  readonly canOpenPr: boolean | null;
  /** The command was not named when the repo was added: the first contact detects it. */
  readonly detectsVerify: boolean;
  readonly detectsSetup: boolean;
  /** What the first contact detected, and nobody has changed since. */
  readonly detected: readonly DetectedSetting[];
  /** Where the lock file says that packages come from. */
  readonly hosts: readonly string[];
}

/** One that cannot be reached is looked at again. */
export const RECHECK_MS = 10 * 60_000;
/** A check that does not end is somebody else's after that. */
export const CHECK_LEASE_MS = 2 * 60_000;

export function firstContact(
  repoId: string,
  now: number,
  detects: Pick<ContactRecord, "detectsVerify" | "detectsSetup"> = { detectsVerify: false, detectsSetup: false },
): ContactRecord {
  return { repoId, nextAt: now, checkedAt: null, canPush: null, canOpenPr: null, ...detects, detected: [], hosts: [] };
}

/** A command that its owner has changed is no longer a detected one. */
export function stillDetected(
  detected: readonly DetectedSetting[],
  before: RepoSettings,
  after: RepoSettings,
): readonly DetectedSetting[] {
  const commandOf = (settings: RepoSettings, name: DetectedSetting) =>
    name === "setup_cmd" ? settings.verify.setup_cmd : settings.verify_cmd;
  return detected.filter((name) => commandOf(before, name) === commandOf(after, name));
}
