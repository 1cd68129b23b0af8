/**
 * The life of signing keys: published, 24 h later in use, retired when the next one takes over, and published for ever, because
 * receipts are. What a key is follows from the times in its row and from the other keys, so that every rail process comes to the same
 * answer from the same rows, whatever it was doing when a row came.
 */
import type { StoredSigningKey } from "./ledger.ts";

export type KeyState = "next" | "active" | "retired" | "revoked";

export interface ActiveKey extends StoredSigningKey {
  readonly state: KeyState;
  /** When another one took over; null before. */
  readonly replacedAt: number | null;
}

/** How long a key is known before it signs: verifiers keep the key set for an hour (`max-age`), clocks differ. */
export const PUBLISHED_BEFORE_MS = 24 * 3_600_000;

/** In the order in which they sign, oldest first. */
export function keyLifecycle(keys: readonly StoredSigningKey[], now: number): ActiveKey[] {
  const ordered = keys.toSorted(bySigning);
  const active = activeOf(ordered, now);
  return ordered.map((key, index) => {
    const successor = ordered.slice(index + 1).find(hasSigned);
    const replacedAt = successor === undefined || successor.activeFrom > now ? null : successor.activeFrom;
    return { ...key, replacedAt, state: stateOf(key, { active, now }) };
  });
}

/**
 * The last one whose time has come. One that was revoked gives way to a new key and never to an older one: an older key that came
 * back would sign receipts that its own retirement denies. Null where a new key has to be made. Where no key's time has come (the
 * clock went back, or that of another process is ahead), the first one signs: it has done so already.
 */
function activeOf(ordered: readonly StoredSigningKey[], now: number): StoredSigningKey | null {
  const last = ordered.findLast((key) => key.activeFrom <= now && hasSigned(key));
  if (last === undefined) return ordered.find(({ notAfter }) => notAfter === null) ?? null;
  return last.notAfter === null ? last : null;
}

/** A key that was withdrawn before its time came has taken over from nobody. */
function hasSigned({ activeFrom, retiredAt }: StoredSigningKey): boolean {
  return retiredAt === null || retiredAt >= activeFrom;
}

function stateOf(
  key: StoredSigningKey,
  { active, now }: { readonly active: StoredSigningKey | null; readonly now: number },
): KeyState {
  if (key.notAfter !== null) return "revoked";
  if (key === active) return "active";
  return key.activeFrom > now ? "next" : "retired";
}

/** A key that replaces a revoked one within the same millisecond comes after it; all else that is equal needs only some order. */
function bySigning(a: StoredSigningKey, b: StoredSigningKey): number {
  const inUse = (key: StoredSigningKey) => (key.retiredAt === null ? 1 : 0);
  return a.activeFrom - b.activeFrom || inUse(a) - inUse(b) || (a.kid < b.kid ? -1 : 1);
}
