/**
 * Stateless worker tokens: `<prefix><scope>.<proof>`, scope and expiry in clear, the proof an HMAC-SHA-256 over them. The caller verifies
 * that the run or check is still current.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** 32 bytes from `deriveKey`, different ones per kind of token; newest first. The first signs, all verify. */
export type TokenKeys = Uint8Array | (() => readonly Uint8Array[]);

export function createRunTokens(key: TokenKeys): RunTokens {
  const tokens = createSignedTokens<readonly [owner: string, runId: string, epoch: number]>("rt_", key);
  return {
    mint: ({ owner, runId, epoch }, expiresAt) => tokens.mint([owner, runId, epoch], expiresAt),
    read(token, now) {
      const scope = tokens.read(token, now);
      return scope === null ? null : { owner: scope[0], runId: scope[1], epoch: scope[2] };
    },
  };
}

export function createCheckTokens(key: TokenKeys): CheckTokens {
  const tokens = createSignedTokens<readonly [owner: string, repoId: string, checkId: string]>("ct_", key);
  return {
    mint: ({ owner, repoId, checkId }, expiresAt) => tokens.mint([owner, repoId, checkId], expiresAt),
    read(token, now) {
      const scope = tokens.read(token, now);
      return scope === null ? null : { owner: scope[0], repoId: scope[1], checkId: scope[2] };
    },
  };
}

function createSignedTokens<S extends readonly (string | number)[]>(prefix: "rt_" | "ct_", key: TokenKeys) {
  const form = new RegExp(`^${prefix}([\\w-]{1,512})\\.([\\w-]{43})$`);
  const keys = typeof key === "function" ? key : () => [key];
  const proofsOf = (scope: string) => keys().map((bytes) => createHmac("sha256", bytes).update(scope).digest());
  return {
    mint(scope: S, expiresAt: number): string {
      const text = Buffer.from(JSON.stringify([...scope, expiresAt])).toString("base64url");
      return `${prefix}${text}.${proofsOf(text)[0]?.toString("base64url") ?? ""}`;
    },
    read(token: string, now: number): S | null {
      const [, text, proof] = form.exec(token) ?? [];
      if (text === undefined || proof === undefined) return null;
      const received = Buffer.from(proof, "base64url");
      const isOurs = (proof: Buffer) => received.length === proof.length && timingSafeEqual(received, proof);
      if (!proofsOf(text).some(isOurs)) return null;
      // The HMAC has proved that we wrote it.
      const signed = JSON.parse(Buffer.from(text, "base64url").toString()) as [...S, number];
      const expiresAt = signed.at(-1);
      return typeof expiresAt === "number" && expiresAt > now ? (signed.slice(0, -1) as unknown as S) : null;
    },
  };
}

/** A worker's credential for one epoch of one run: it opens only that run's git proxy and uploads. */
export interface RunTokens {
  /** `rt_…`, valid until `expiresAt`. */
  mint(run: RunTokenScope, expiresAt: number): string;
  /** Null for an invalid or expired token. The caller verifies the epoch. */
  read(token: string, now: number): RunTokenScope | null;
}

export interface RunTokenScope {
  readonly owner: string;
  readonly runId: string;
  readonly epoch: number;
}

/** A worker's credential for one repo check: it opens only that check's git proxy. */
export interface CheckTokens {
  /** `ct_…`, valid until `expiresAt`. */
  mint(scope: CheckTokenScope, expiresAt: number): string;
  /** Null for an invalid or expired token. The caller verifies that the check still runs. */
  read(token: string, now: number): CheckTokenScope | null;
}

export interface CheckTokenScope {
  readonly owner: string;
  readonly repoId: string;
  readonly checkId: string;
}
