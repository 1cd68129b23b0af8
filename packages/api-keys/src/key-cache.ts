/**
 * Keeps all keys in memory by hash. Changes are read from the change sequence every half second and on notification. If
 * the store is unreachable, cached keys stay valid: rejecting every customer would be worse than a late revocation.
 */
import { timingSafeEqual } from "node:crypto";
import { formOf, hashKey, type KeyForm } from "./key.ts";
import { keyStateAt, type ApiKey } from "./key-record.ts";
import type { KeyStore, KeyWithSecrets, StoredSecret } from "./key-store.ts";

export type KeyVerdict =
  | { readonly state: "valid" | "revoked" | "expired"; readonly key: ApiKey }
  /** Unknown, mistyped, or from another service; the caller cannot tell which. */
  | { readonly state: "invalid" };

export interface KeyCache {
  verify(text: string): KeyVerdict;
  /** Polls for changes; resolves when everything committed before the call is loaded. */
  refresh(): Promise<void>;
  refreshedAt(): number;
  readonly size: number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface KeyCacheOptions {
  readonly store: KeyStore;
  readonly forms: readonly KeyForm[];
  readonly clock: () => number;
  /** Called after a failed poll; polling continues. */
  readonly onError: (error: unknown) => void;
  readonly pollMs?: number;
}

/** Changes must take effect within a second; polling every half second leaves time for a slow poll. */
const POLL_MS = 500;

interface Entry {
  readonly key: ApiKey;
  readonly secret: StoredSecret;
}

export async function openKeyCache({
  store,
  forms,
  clock,
  onError,
  pollMs = POLL_MS,
}: KeyCacheOptions): Promise<KeyCache> {
  const entries = new Map<string, Entry>();
  const keys = new Set<string>();
  let sequence = 0;
  let refreshedAt = 0;
  const { run: refresh, settled } = oneAtATime(readChanges);
  let closed: Promise<void> | undefined;

  // Subscribe before reading, so that no change in between is missed.
  const stopWatching = await store.watch(wake);
  await refresh().catch(async (error: unknown) => {
    await stopWatching();
    throw error;
  });
  const poll = setInterval(wake, pollMs);
  poll.unref();

  return {
    verify(text) {
      // No checksum check here: a mistyped key is not in the cache anyway.
      if (formOf(text, forms) === undefined) return { state: "invalid" };
      const hash = hashKey(text);
      const entry = entries.get(prefixOf(hash));
      if (entry === undefined || !isEqual(entry.secret.hash, hash)) return { state: "invalid" };
      return { state: keyStateAt(entry.key, entry.secret.validUntil, clock()), key: entry.key };
    },
    refresh,
    refreshedAt: () => refreshedAt,
    get size() {
      return keys.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function readChanges(): Promise<void> {
    for (let more = true; more;) {
      const changes = await store.changedSince(sequence);
      for (const changed of changes.keys) take(changed);
      ({ sequence, more } = changes);
    }
    refreshedAt = clock();
  }

  function take({ key, secrets }: KeyWithSecrets): void {
    keys.add(key.id);
    for (const secret of secrets) entries.set(prefixOf(secret.hash), { key, secret });
  }

  function wake(): void {
    if (closed === undefined) refresh().catch(onError);
  }

  function close(): Promise<void> {
    closed ??= (async () => {
      clearInterval(poll);
      await stopWatching();
      await settled();
    })();
    return closed;
  }
}

/**
 * Runs one refresh at a time. The current run may have read before the caller's change, so the caller waits for the
 * next run, which all waiting callers share.
 */
function oneAtATime(work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  return { run, settled };

  async function settled(): Promise<void> {
    await (following ?? running)?.catch(() => undefined);
  }

  function run(): Promise<void> {
    if (running === undefined) {
      running = work().finally(() => (running = undefined));
      return running;
    }
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return run();
      });
    return following;
  }
}

/**
 * The map key is 72 bits of the hash, and the whole hash is compared in constant time: the lookup time depends on these
 * bits only.
 */
function prefixOf(hash: string): string {
  return hash.slice(0, 18);
}

function isEqual(stored: string, hash: string): boolean {
  return stored.length === hash.length && timingSafeEqual(Buffer.from(stored), Buffer.from(hash));
}
