/** Follows the bus of a run; messages within one animation frame render together. */
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
  /** Mutable; the view object changes when they grow. */
  readonly virtualBlocks: VirtualBlocks;
  readonly count: number;
  /** State messages; a new list for each addition. */
  readonly changes: readonly BusMessage[];
  /** Messages with check output; likewise. */
  readonly checks: readonly BusMessage[];
  /** The latest reported state; empty before the first message. */
  readonly state: string;
  readonly line: "opening" | "open" | "lost" | "complete";
}

export interface FollowedBus {
  get(): BusView;
  watch(listener: () => void): () => void;
  start(): () => void;
}

/** Selects part of the bus: a component rerenders only when its part changes. */
export function useBus<T>(bus: FollowedBus, part: (view: BusView) => T): T {
  return useSyncExternalStore(bus.watch, () => part(bus.get()));
}

const PAGE = 1_000;
/** Messages of a replay arrive faster than rows can be built. The rest waits for the next frame, so that no frame takes long. */
const MESSAGES_PER_FRAME_MAX = 1_000;

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
    const fresh = waiting.slice(0, MESSAGES_PER_FRAME_MAX);
    waiting = waiting.slice(MESSAGES_PER_FRAME_MAX);
    for (const message of fresh) virtualBlocks.add(message);
    const changes = joined(view.changes, fresh.filter(isStateChange));
    const checks = joined(
      view.checks,
      fresh.filter(({ kind }) => kind === "verify"),
    );
    const lastState = changes.at(-1)?.data["state"];
    const state = typeof lastState === "string" ? lastState : "";
    // Complete when all is rendered, not when all is received.
    const isBehind = waiting.length > 0;
    const count = view.count + fresh.length;
    view = { virtualBlocks, count, changes, checks, state, line: isBehind ? view.line : line };
    for (const listener of watchers) listener();
    if (isBehind) showSoon();
  }
  function showSoon(): void {
    // A hidden tab has no animation frames.
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
   * Reads the history in pages: in a stream each message is an event, and thousands would arrive in one task. Returns whether the bus
   * is complete.
   */
  async function catchUp(isStopped: () => boolean): Promise<boolean> {
    for (;;) {
      const { body } = await read(PAGE);
      if (isStopped()) return false;
      // Missing messages are left to the stream.
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
    /** 204 means complete; an event stream cannot distinguish it from a refusal. */
    async function askWhy(): Promise<void> {
      const { body } = await read(1);
      if (!body.complete || body.items.length > 0) return;
      stop();
      end();
    }
    // After a failed read, the stream reports the error and retries.
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
