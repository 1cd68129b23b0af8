/** The bus of a run as it is said: what comes within one frame of the screen is shown together. */
import type { BusMessage } from "@triptych/contracts";
import { useSyncExternalStore } from "react";
import { call } from "../api/call.ts";
import { readBus } from "../api/endpoints.ts";
import { followStream } from "../api/follow-stream.ts";
import { createBusLog } from "./bus-log.ts";
import { isStateChange } from "./rows.ts";
import { createSharing } from "./structural-sharing.ts";
import { createVirtualBlocks, type VirtualBlocks } from "./virtual-blocks.ts";

export interface BusView {
  /** Grow in place; the view is another one when they did. */
  readonly virtualBlocks: VirtualBlocks;
  /** Messages that are shown. */
  readonly count: number;
  /** Those that say a state; another list when there is one more. */
  readonly changes: readonly BusMessage[];
  /** Those that hold what checks printed; likewise. */
  readonly checks: readonly BusMessage[];
  /** The state that the run was last said to be in; empty before the first word. */
  readonly state: string;
  readonly line: "opening" | "open" | "lost" | "complete";
}

export interface FollowedBus {
  get(): BusView;
  watch(listener: () => void): () => void;
  start(): () => void;
}

/** A part of what is known of the bus: whoever asks for one that rarely changes is rarely drawn. */
export function useBus<T>(bus: FollowedBus, part: (view: BusView) => T): T {
  return useSyncExternalStore(bus.watch, () => part(bus.get()));
}

/** Messages that are asked for at once. */
const PAGE = 1_000;
/** A long bus is replayed faster than it is put on its shelves: what is more waits for the next frame, so that none takes long. */
const MOST_A_FRAME = 1_000;

export function createBus(runId: string): FollowedBus {
  const path = `/api/runs/${encodeURIComponent(runId)}/bus`;
  const log = createBusLog();
  const virtualBlocks = createVirtualBlocks();
  const shared = createSharing();
  const watchers = new Set<() => void>();
  let waiting: BusMessage[] = [];
  let frame = 0;
  let view: BusView = { virtualBlocks, count: 0, changes: [], checks: [], state: "", line: "opening" };
  let line = view.line;

  function show(): void {
    frame = 0;
    const fresh = waiting.slice(0, MOST_A_FRAME);
    waiting = waiting.slice(MOST_A_FRAME);
    for (const message of fresh) virtualBlocks.add(message);
    const changes = joined(view.changes, fresh.filter(isStateChange));
    const checks = joined(
      view.checks,
      fresh.filter(({ kind }) => kind === "verify"),
    );
    const lastState = changes.at(-1)?.data["state"];
    const state = typeof lastState === "string" ? lastState : "";
    // Complete is what is shown, not what has come.
    const isBehind = waiting.length > 0;
    const count = view.count + fresh.length;
    view = { virtualBlocks, count, changes, checks, state, line: isBehind ? view.line : line };
    for (const listener of watchers) listener();
    if (isBehind) showSoon();
  }
  function showSoon(): void {
    // A tab that is hidden has no frames.
    if (frame === 0) frame = document.hidden ? setTimeout(show, 100) : requestAnimationFrame(show);
  }
  function setLine(next: BusView["line"]): void {
    line = next;
    showSoon();
  }

  function take(message: BusMessage): boolean {
    const taken = log.add(message);
    if (taken === "new") waiting.push(shared(message));
    return taken !== "hole";
  }
  function end(): void {
    setLine("complete");
  }

  /**
   * What has been said is read in pages: of a stream each message is an event, of which thousands come in one task. Says whether nothing
   * more will come.
   */
  async function catchUp(isStopped: () => boolean): Promise<boolean> {
    for (;;) {
      const { body } = await read(PAGE);
      if (isStopped()) return false;
      // What does not follow on is left to the stream.
      const isWhole = body.items.every(take);
      if (body.items.length > 0) showSoon();
      const isAll = log.lastSeq >= body.last_seq;
      if (isAll || !isWhole || body.items.length < PAGE) return isAll && body.complete;
    }
  }
  function read(limit: number) {
    return call(readBus, { params: { id: runId }, query: { after: log.lastSeq, limit } });
  }

  function start(): () => void {
    if (line === "complete") return () => undefined;
    let isStopped = false;
    let stop: () => void = () => undefined;
    const follow = () => {
      if (isStopped) return;
      stop = followStream({
        address: () => `${path}?after=${log.lastSeq}`,
        onOpen: () => setLine("open"),
        onLost: () => setLine("lost"),
        onEnd: end,
        onRefused: () => void askWhy().catch(() => undefined),
        onMessage: ({ data }) => {
          if (take(JSON.parse(data) as BusMessage)) showSoon();
          else again();
        },
      });
    };
    function again(): void {
      stop();
      follow();
    }
    /** 204 says that there is nothing more; an event stream cannot tell it from a refusal. */
    async function askWhy(): Promise<void> {
      const { body } = await read(1);
      if (!body.complete || body.items.length > 0) return;
      stop();
      end();
    }
    // Whoever cannot be read is followed all the same: the stream tells what is wrong, and comes back.
    void catchUp(() => isStopped).then((isOver) => (isOver ? end() : follow()), follow);
    return () => {
      isStopped = true;
      stop();
    };
  }

  return {
    get: () => view,
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    start,
  };
}

function joined<T>(before: readonly T[], more: readonly T[]): readonly T[] {
  return more.length === 0 ? before : [...before, ...more];
}
