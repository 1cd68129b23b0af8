/**
 * Serves live readers of runs. A hint, or the poll each second, causes one store read per run for all its readers; equal filters share the
 * bytes. A reader first reads the past at its own speed. It becomes live when it has caught up with the feed's position, so that no message
 * is missed or sent twice.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { eventOf, gapOf, numbered, type BusChunk, type EventFilter } from "../domain/bus-lines.ts";
import type { BusRepository, BusHead } from "../domain/bus-repositories.ts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { isComplete } from "../domain/run-states.ts";
import type { EventStream } from "./streams.ts";

export interface BusKey {
  readonly owner: string;
  readonly runId: string;
}

export interface LiveRuns {
  /** Sends everything after a number, past and live, until the run is complete or the stream closes. */
  follow(
    key: BusKey,
    reader: { readonly after: number; readonly filter: EventFilter; readonly stream: EventStream },
  ): Promise<void>;
  /** Calls `stir` after each change of a bus or its run, until the returned function is called. */
  watch(key: BusKey, stir: () => void): () => void;
  /** Null: any hint may have been lost. */
  wake(hint: ChangeEvent | null): void;
  /** Called every second, because hints may be lost. */
  tick(): void;
}

/** Limits a read to a few megabytes. */
const CHUNKS_PER_READ = 32;

interface Follower {
  readonly stream: EventStream;
  readonly filter: EventFilter;
  readonly filterKey: string;
  last: number;
  /** Served by the feed; before that, the reader reads the past itself. */
  isLive: boolean;
}

interface Feed {
  readonly name: string;
  readonly key: BusKey;
  readonly bus: BusRepository;
  readonly followers: Set<Follower>;
  readonly watchers: Set<() => void>;
  /** All live readers have received everything up to here; null before the first read. */
  position: number | null;
  reading: Promise<void> | null;
  isStirred: boolean;
}

export function openLiveRuns(
  { store, now }: Pick<Panel, "store" | "now">,
  onError: (error: unknown) => void,
): LiveRuns {
  const feeds = new Map<string, Feed>();

  return {
    async follow(key, { after, filter, stream }) {
      const feed = feedOf(key);
      const filterKey = JSON.stringify([filter.kinds ?? null, filter.roles ?? null]);
      const follower: Follower = { stream, filter, filterKey, last: after, isLive: false };
      feed.followers.add(follower);
      try {
        await catchUp(feed, follower);
      } catch (error) {
        // The client reconnects and resumes without a gap.
        stream.end();
        onError(error);
      }
      await stream.closed;
      feed.followers.delete(follower);
      forget(feed);
    },
    watch(key, stirred) {
      const feed = feedOf(key);
      feed.watchers.add(stirred);
      return () => {
        feed.watchers.delete(stirred);
        forget(feed);
      };
    },
    wake(hint) {
      if (hint === null) return stirAll();
      if (hint.type !== "bus" && hint.type !== "run") return;
      const feed = feeds.get(`${hint.owner} ${hint.id}`);
      if (feed !== undefined) stir(feed);
    },
    tick: stirAll,
  };

  function stirAll(): void {
    for (const feed of feeds.values()) stir(feed);
  }

  function feedOf(key: BusKey): Feed {
    const name = `${key.owner} ${key.runId}`;
    const present = feeds.get(name);
    if (present !== undefined) return present;
    const { bus } = store.of(key.owner);
    const feed: Feed = {
      name,
      key,
      bus,
      followers: new Set(),
      watchers: new Set(),
      position: null,
      reading: null,
      isStirred: false,
    };
    feeds.set(name, feed);
    return feed;
  }

  function forget(feed: Feed): void {
    if (feed.followers.size === 0 && feed.watchers.size === 0) feeds.delete(feed.name);
  }

  async function catchUp(feed: Feed, follower: Follower): Promise<void> {
    const { stream, filter } = follower;
    const head = await feed.bus.head(feed.key.runId);
    if (head === null) return stream.end();
    if (head.firstSeq > follower.last + 1) {
      const gap = gapOf(feed.key.runId, { from: follower.last + 1, to: head.firstSeq - 1, at: now() });
      stream.write(eventOf({ seq: gap.seq, json: JSON.stringify(gap) }));
      follower.last = gap.seq;
    }
    feed.position ??= head.lastSeq;
    for (;;) {
      const position: number | null = feed.position;
      const portion = { after: follower.last, limit: CHUNKS_PER_READ, ...filter };
      const chunks = await feed.bus.read(feed.key.runId, portion);
      if (!stream.isOpen) return;
      // The feed has not advanced in the meantime: from here on the reader is live.
      if (chunks.length === 0 && feed.position === position) break;
      send(feed, follower, chunks);
      await stream.drained();
    }
    follower.last = Math.max(follower.last, feed.position ?? 0);
    follower.isLive = true;
    stir(feed);
  }

  /** One read at a time; a call during a read causes another one. */
  function stir(feed: Feed): void {
    feed.isStirred = true;
    feed.reading ??= read(feed)
      .catch(onError)
      .finally(() => (feed.reading = null));
  }

  async function read(feed: Feed): Promise<void> {
    const { bus, key } = feed;
    while (feed.isStirred) {
      feed.isStirred = false;
      for (const stirred of feed.watchers) stirred();
      if (feed.followers.size === 0) continue;
      const head = await bus.head(key.runId);
      if (head === null) return endAll(feed);
      feed.position ??= head.lastSeq;
      while (feed.position < head.lastSeq) {
        const chunks = await bus.read(key.runId, { after: feed.position, limit: CHUNKS_PER_READ });
        const last = chunks.at(-1);
        if (last === undefined) break;
        sendToAll(feed, chunks);
        feed.position = last.lastSeq;
        // Lets the sockets drain first.
        await nextTurn();
      }
      if (isComplete(head.state, head) && feed.position >= head.lastSeq) endAll(feed, head);
    }
  }
}

/** Sends to all live readers; those with the same position and filter share the bytes. */
function sendToAll(feed: Feed, chunks: readonly BusChunk[]): void {
  const first = chunks.at(0)?.firstSeq ?? 0;
  const shared = new Map<string, Buffer>();
  for (const follower of feed.followers) {
    if (!follower.isLive) continue;
    if (follower.last >= first) {
      send(feed, follower, chunks);
      continue;
    }
    const { filter, filterKey, stream } = follower;
    const bytes = shared.get(filterKey) ?? Buffer.from(eventsOf(feed, chunks, { after: 0, filter }));
    shared.set(filterKey, bytes);
    if (bytes.length > 0) stream.write(bytes);
    follower.last = chunks.at(-1)?.lastSeq ?? follower.last;
  }
}

function send(feed: Feed, follower: Follower, chunks: readonly BusChunk[]): void {
  const { last, filter, stream } = follower;
  const events = eventsOf(feed, chunks, { after: last, filter });
  if (events !== "") stream.write(events);
  follower.last = Math.max(last, chunks.at(-1)?.lastSeq ?? 0);
}

function eventsOf(
  { key }: Feed,
  chunks: readonly BusChunk[],
  range: { readonly after: number; readonly filter: EventFilter },
): string {
  let events = "";
  for (const chunk of chunks) for (const line of numbered(key.runId, chunk, range)) events += eventOf(line);
  return events;
}

/** The last event has its own type, and no ID, so that the reader's position does not change. */
function endAll(feed: Feed, head?: BusHead): void {
  const end = head && `event: end\ndata: ${JSON.stringify({ run_id: feed.key.runId, state: head.state })}\n\n`;
  for (const { isLive, stream } of feed.followers) if (isLive) stream.end(end);
}
