/**
 * Lifecycle of signing keys: a key is published, becomes active 24 h later, and retires when the next key takes over.
 * It stays published forever, because its signatures remain valid. The state is derived from the rows alone, so every
 * process derives the same one.
 */
export interface StoredSigningKey {
  readonly kid: string;
  readonly x: string;
  readonly sealed: string;
  readonly createdAt: number;
  readonly activeFrom: number;
  /** Set on revocation only; otherwise a key retires when its successor becomes active. */
  readonly retiredAt: number | null;
  /** Set if the key was compromised: signatures from this time on are invalid. */
  readonly notAfter: number | null;
}

export type KeyState = "next" | "active" | "retired" | "revoked";

export interface ActiveKey extends StoredSigningKey {
  readonly state: KeyState;
  readonly replacedAt: number | null;
}

/** Much longer than the hour for which verifiers cache the key set (`max-age`), because clocks differ. */
export const PUBLISHED_BEFORE_MS = 24 * 3_600_000;

/** In signing order, oldest first. */
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
 * The newest key that is due. Only a newer key can replace a revoked one: an older key would sign after its own
 * retirement. Null if a new key is needed. If no key is due (the clock went back, or another process is ahead), the
 * first key signs, because it has already signed.
 */
function activeOf(ordered: readonly StoredSigningKey[], now: number): StoredSigningKey | null {
  const last = ordered.findLast((key) => key.activeFrom <= now && hasSigned(key));
  if (last === undefined) return ordered.find(({ notAfter }) => notAfter === null) ?? null;
  return last.notAfter === null ? last : null;
}

/** A key that was revoked before its activation never replaced another. */
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

/** A key that replaces a revoked one in the same millisecond sorts after it. Other ties only need a stable order. */
function bySigning(a: StoredSigningKey, b: StoredSigningKey): number {
  const inUse = (key: StoredSigningKey) => (key.retiredAt === null ? 1 : 0);
  return a.activeFrom - b.activeFrom || inUse(a) - inUse(b) || (a.kid < b.kid ? -1 : 1);
}
