/**
 * The connection for `LISTEN`, which must stay open. Notifications during a disconnect are lost, so every reconnect
 * wakes all listeners with `undefined`, meaning: check yourself.
 */
import { Client, type ClientConfig } from "pg";

export interface NotificationListener {
  listen(channel: string, wake: Wake): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type Wake = (payload: string | undefined) => void;

/** Initial reconnect delay, doubled up to the maximum. A restarting server is back within seconds. */
const RECONNECT_MS = 100;
const RECONNECT_LONGEST_MS = 5_000;

export function createListener(config: ClientConfig): NotificationListener {
  const channels = new Map<string, Set<Wake>>();
  let client: Promise<Client> | null = null;
  let current: Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  return {
    async listen(channel, wake) {
      const own: Wake = (payload) => wake(payload);
      const wakes = channels.get(channel) ?? new Set();
      channels.set(channel, wakes.add(own));
      try {
        // Repeated by every listener: PostgreSQL deduplicates it, and each caller returns only after it took effect.
        await (await connected()).query(`listen ${quoted(channel)}`);
      } catch (error) {
        await stop(channel, own);
        throw error;
      }
      return () => stop(channel, own);
    },
    async close() {
      closed = true;
      channels.clear();
      if (retry !== null) clearTimeout(retry);
      const last = await client?.catch(() => null);
      client = null;
      current = null;
      await last?.end();
    },
  };

  async function stop(channel: string, own: Wake): Promise<void> {
    const wakes = channels.get(channel);
    wakes?.delete(own);
    if (wakes === undefined || wakes.size > 0) return;

    channels.delete(channel);
    const listening = await client?.catch(() => null);
    await listening?.query(`unlisten ${quoted(channel)}`).catch(() => undefined);
  }

  function connected(): Promise<Client> {
    client ??= connect().catch((error: unknown) => {
      client = null;
      throw error;
    });
    return client;
  }

  async function connect(): Promise<Client> {
    const fresh = new Client(config);
    fresh.on("notification", ({ channel, payload }) => {
      for (const wake of channels.get(channel) ?? []) wake(payload ?? "");
    });
    // Both events may report one disconnect; the second finds that the client was replaced.
    fresh.on("error", () => lost(fresh));
    fresh.on("end", () => lost(fresh));
    await fresh.connect();
    current = fresh;
    try {
      for (const channel of channels.keys()) await fresh.query(`listen ${quoted(channel)}`);
    } catch (error) {
      current = null;
      void fresh.end().catch(() => undefined);
      throw error;
    }
    return fresh;
  }

  function lost(which: Client): void {
    if (current !== which) return;
    current = null;
    client = null;
    void which.end().catch(() => undefined);
    if (!closed && channels.size > 0) reconnectLater(RECONNECT_MS);
  }

  function reconnectLater(waitMs: number): void {
    retry = setTimeout(() => {
      connected().then(wakeAll, () => {
        if (!closed) reconnectLater(Math.min(waitMs * 2, RECONNECT_LONGEST_MS));
      });
    }, waitMs);
    retry.unref();
  }

  function wakeAll(): void {
    for (const wakes of channels.values()) for (const wake of wakes) wake(undefined);
  }
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
