/** When a repo was reached last and with what rights, and when it is looked at again. */
export interface ContactRecord {
  readonly repoId: string;
  /** Null: not by itself. */
  readonly nextAt: number | null;
  readonly checkedAt: number | null;
  readonly canPush: boolean | null;
  readonly canOpenPr: boolean | null;
  /** The verify command was not named when the repo was added: the first contact looks for one. */
  readonly detectsVerify: boolean;
}

/** One that cannot be reached is looked at again. */
export const RECHECK_MS = 10 * 60_000;
/** A check that does not end is somebody else's after that. */
export const CHECK_LEASE_MS = 2 * 60_000;

export function firstContact(
  repoId: string,
  now: number,
  { detectsVerify }: Pick<ContactRecord, "detectsVerify">,
): ContactRecord {
  return { repoId, nextAt: now, checkedAt: null, canPush: null, canOpenPr: null, detectsVerify };
}
