/** The bus of a run as it is said: what comes within one frame of the screen is shown together. */
import type { BusRole } from "@triptych/contracts/plain";
import type { BusMessage } from "@triptych/contracts";
import { call } from "../api/call.ts";
import { readBus } from "../api/endpoints.ts";
import { followStream } from "../api/follow-stream.ts";
import { createBusLog } from "./bus-log.ts";
import { appendRows, type Row } from "./rows.ts";

export interface BusView {
  /** Grows in place; `version` rises with it. */
  readonly rows: readonly Row[];
  readonly messages: readonly BusMessage[];
  readonly roles: ReadonlyMap<BusRole, number>;
  readonly version: number;
  readonly lastSeq: number;
  /** The state that the run was last said to be in; empty before the first word. */
  readonly state: string;
  readonly line: "opening" | "open" | "lost" | "complete";
}

export interface FollowedBus {
  get(): BusView;
  watch(told: () => void): () => void;
  start(): () => void;
}

export function createBus(runId: string): FollowedBus {
  const path = `/api/runs/${encodeURIComponent(runId)}/bus`;
  const log = createBusLog();
  const rows: Row[] = [];
  const roles = new Map<BusRole, number>();
  const watchers = new Set<() => void>();
  let line: BusView["line"] = "opening";
  let state = "";
  let waiting: BusMessage[] = [];
  let frame = 0;
  let view: BusView = { rows, messages: log.messages, roles, version: 0, lastSeq: 0, state, line };

  function show(): void {
    frame = 0;
    appendRows(rows, waiting);
    for (const { from, kind, data } of waiting) {
      roles.set(from.role, (roles.get(from.role) ?? 0) + 1);
      if (kind === "state" && typeof data["state"] === "string") state = data["state"];
    }
    waiting = [];
    view = { rows, messages: log.messages, roles, version: view.version + 1, lastSeq: log.lastSeq, state, line };
    for (const told of watchers) told();
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
    if (taken === "new") waiting.push(message);
    return taken !== "hole";
  }

  function start(): () => void {
    if (line === "complete") return () => undefined;
    const follow = () =>
      followStream({
        address: () => `${path}?after=${log.lastSeq}`,
        onOpen: () => setLine("open"),
        onLost: () => setLine("lost"),
        onEnd: () => setLine("complete"),
        onRefused: () => void askWhy().catch(() => undefined),
        onMessage: ({ data }) => {
          if (take(JSON.parse(data) as BusMessage)) showSoon();
          else again();
        },
      });
    let stop = follow();
    let isStopped = false;
    function again(): void {
      stop();
      if (!isStopped) stop = follow();
    }
    /** 204 says that there is nothing more; an event stream cannot tell it from a refusal. */
    async function askWhy(): Promise<void> {
      const { body } = await call(readBus, { params: { id: runId }, query: { after: log.lastSeq, limit: 1 } });
      if (!body.complete || body.items.length > 0) return;
      stop();
      setLine("complete");
    }
    return () => {
      isStopped = true;
      stop();
    };
  }

  return {
    get: () => view,
    watch(told) {
      watchers.add(told);
      return () => watchers.delete(told);
    },
    start,
  };
}
