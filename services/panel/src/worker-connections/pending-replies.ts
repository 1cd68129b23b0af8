/** Matches replies to commands (probes, model queries). A caller gets null on timeout. */
import type { WorkerFrame } from "@triptych/contracts";
import type { Connection } from "./connection-registry.ts";
import type { CommandFrame } from "./link.ts";
import type { Timers } from "../timers.ts";

export type Reply = Extract<WorkerFrame, { readonly t: "reply" }>;

export interface PendingReplies {
  ask(live: Connection, frame: CommandFrame, withinMs: number): Promise<Reply | null>;
  replied(live: Connection, reply: Reply): void;
  /** The worker has disconnected. */
  left(live: Connection): void;
}

interface Open {
  readonly live: Connection;
  readonly answer: (reply: Reply | null) => void;
}

export function createAsks(timers: Timers): PendingReplies {
  const open = new Map<string, Open>();
  const nameOf = ({ connectionId }: Connection, cid: string) => `${connectionId} ${cid}`;
  return {
    ask(live, frame, withinMs) {
      const cid = live.link.command(frame, timers.now());
      if (cid === null) return Promise.resolve(null);
      const name = nameOf(live, cid);
      return new Promise((resolve) => {
        const stop = timers.after(withinMs, () => answer(null));
        const answer = (reply: Reply | null) => {
          stop();
          open.delete(name);
          resolve(reply);
        };
        open.set(name, { live, answer });
      });
    },
    replied: (live, reply) => open.get(nameOf(live, reply.cid))?.answer(reply),
    left(gone) {
      for (const { live, answer } of open.values()) if (live === gone) answer(null);
    },
  };
}
