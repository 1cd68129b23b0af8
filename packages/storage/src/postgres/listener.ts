/**
 * The connection for `LISTEN`, which must stay open. Notifications during a disconnect are lost, so every reconnect
 * wakes all listeners with `undefined`, which tells them to check for changes.
 */
import { Client, type ClientConfig } from "pg";

export interface NotificationListener {
  listen(channel: string, wake: Wake): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type Wake = (payload: string | undefined) => void;

/** Initial reconnect delay, doubled up to the maximum. A server that restarts is back within seconds. */
const RECONNECT_MS = 100;
const RECONNECT_LONGEST_MS = 5_000;

export function createListener(config: ClientConfig): NotificationListener {
  const channels = createChannels();
  let client: Promise<Client> | null = null;
  let current: Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  return {
    async listen(channel, wake) {
      const own: Wake = (payload) => wake(payload);
      channels.add(channel, own);
      try {
        // Sent for every listener: each caller must wait until it takes effect. PostgreSQL ignores repetitions.
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
    if (!channels.remove(channel, own)) return;
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
    fresh.on("notification", ({ channel, payload }) => channels.wake(channel, payload ?? ""));
    // Both events may report the same disconnect; the second one finds that the client was already replaced.
    fresh.on("error", () => lost(fresh));
    fresh.on("end", () => lost(fresh));
    await fresh.connect();
    current = fresh;
    try {
      for (const channel of channels.names()) await fresh.query(`listen ${quoted(channel)}`);
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
    if (!closed && channels.names().length > 0) reconnectLater(RECONNECT_MS);
  }

  function reconnectLater(waitMs: number): void {
    retry = setTimeout(() => {
      connected().then(channels.wakeAll, () => {
        if (!closed) reconnectLater(Math.min(waitMs * 2, RECONNECT_LONGEST_MS));
      });
    }, waitMs);
    retry.unref();
  }
}

function createChannels() {
  const channels = new Map<string, Set<Wake>>();
  return {
    names: () => [...channels.keys()],
    add: (channel: string, wake: Wake) => void channels.set(channel, (channels.get(channel) ?? new Set()).add(wake)),
    /** Returns whether it was the last listener of the channel. */
    remove(channel: string, wake: Wake): boolean {
      const wakes = channels.get(channel);
      wakes?.delete(wake);
      return wakes?.size === 0 && channels.delete(channel);
    },
    clear: () => channels.clear(),
    wake(channel: string, payload: string): void {
      for (const wake of channels.get(channel) ?? []) wake(payload);
    },
    wakeAll(): void {
      for (const wakes of channels.values()) for (const wake of wakes) wake(undefined);
    },
  };
}

function quoted(channel: string): string {
  return `"${channel.replaceAll('"', '""')}"`;
}
