/**
 * The keys as a server asks for them at each request: all of them, in memory, by the hash of their secret. The ring is complete, so
 * an unknown key is a miss in a map: it never reaches the store, remembers nothing, and a flood of guesses costs the flooder's own
 * bandwidth and a SHA-256 each. What changes, by whichever process, arrives through the store's rising change
 * sequence: looked at every half second, and at once when the store hints at a change.
 *
 * When the store cannot be reached the ring goes on with what it knows and says so through `onFault` and `refreshedAt`; refusing
 * every customer because a revocation might have been missed would be the worse answer.
 */
import { timingSafeEqual } from "node:crypto";
import { digestKey, formOf, type KeyForm } from "./key.ts";
import { keyStateAt, type ApiKey } from "./key-record.ts";
import type { KeyStore, KeyWithSecrets, StoredSecret } from "./key-store.ts";

export type KeyVerdict =
  | { readonly state: "valid" | "revoked" | "expired"; readonly key: ApiKey }
  /** Unknown, mistyped or of another service: the caller is not told which. */
  | { readonly state: "invalid" };

export interface KeyCache {
  /** Who carries this key now? In memory, never waits. */
  verify(text: string): KeyVerdict;
  /** Looks for changes now; resolves when everything committed before the call is known. */
  refresh(): Promise<void>;
  /** When the store was last looked at with success; readiness may depend on it. */
  refreshedAt(): number;
  readonly size: number;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface KeyRingOptions {
  readonly store: KeyStore;
  readonly forms: readonly KeyForm[];
  readonly clock: () => number;
  /** Told about a look at the store that failed; the next one follows by itself. */
  readonly onFault: (fault: unknown) => void;
  readonly pollMs?: number;
}

/** Half of the second within which a change must act, so that a look that takes its time is still in it. */
const POLL_MS = 500;

interface Entry {
  readonly key: ApiKey;
  readonly secret: StoredSecret;
  /** The hash of the secret as it is compared: what `presented` holds when it is this one. */
  readonly digest: Buffer;
}

/** Opens the ring with every key already in it. */
export async function openKeyRing({
  store,
  forms,
  clock,
  onFault,
  pollMs = POLL_MS,
}: KeyRingOptions): Promise<KeyCache> {
  const entries = new Map<string, Entry>();
  const keys = new Set<string>();
  let sequence = 0;
  let refreshedAt = 0;
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let closed: Promise<void> | undefined;

  // First watched, then read: what changes in between is either read or hinted at.
  const stopWatching = await store.watch(wake);
  await refresh().catch(async (fault: unknown) => {
    await stopWatching();
    throw fault;
  });
  const poll = setInterval(wake, pollMs);
  poll.unref();

  return {
    verify(text) {
      // Its checksum is not looked at: what is mistyped is not in the ring either.
      if (formOf(text, forms) === undefined) return { state: "invalid" };
      const digest = digestKey(text);
      const entry = entries.get(prefixOf(digest));
      if (entry === undefined || !isDigest(entry.digest, digest)) return { state: "invalid" };
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

  /**
   * One look at a time. A look that is already under way may have read before the change its caller has in mind, so the caller
   * waits for the next one, which all who come meanwhile share.
   */
  function refresh(): Promise<void> {
    if (running === undefined) {
      running = readChanges().finally(() => (running = undefined));
      return running;
    }
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return refresh();
      });
    return following;
  }

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
    for (const secret of secrets) {
      const digest = Buffer.from(secret.hash, "hex").toString("base64url");
      entries.set(prefixOf(digest), { key, secret, digest: Buffer.from(digest, "latin1") });
    }
  }

  function wake(): void {
    if (closed === undefined) refresh().catch(onFault);
  }

  function close(): Promise<void> {
    closed ??= (async () => {
      clearInterval(poll);
      await stopWatching();
      await (following ?? running)?.catch(() => undefined);
    })();
    return closed;
  }
}

/**
 * 72 bits of the hash find the entry; the whole of it is then compared in constant time. (Of twelve symbols V8 makes a text of their own; a
 * longer piece would hang on the whole one, and be slow to look up.)
 */
function prefixOf(digest: string): string {
  return digest.slice(0, 12);
}

/** As long as a digest. What is presented is written here to be compared: at each request, and never by two at once. */
const presented = Buffer.alloc(43);

function isDigest(stored: Buffer, digest: string): boolean {
  presented.write(digest, "latin1");
  return stored.length === presented.length && timingSafeEqual(presented, stored);
}
