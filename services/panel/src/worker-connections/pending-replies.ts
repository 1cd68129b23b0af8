/** Matches replies to commands (probes, model queries). A caller gets null on timeout. */
import type { WorkerFrame } from "@triptych/contracts";
import type { Connection } from "./connection-registry.ts";
import type { CommandFrame } from "./link.ts";
import type { Timers } from "../timers.ts";

export type Reply = Extract<WorkerFrame, { readonly t: "reply" }>;

export interface PendingReplies {
  ask(connection: Connection, frame: CommandFrame, withinMs: number): Promise<Reply | null>;
  replied(connection: Connection, reply: Reply): void;
  left(connection: Connection): void;
}

interface Open {
  readonly connection: Connection;
  readonly answer: (reply: Reply | null) => void;
}

export function createAsks(timers: Timers): PendingReplies {
  const open = new Map<string, Open>();
  const nameOf = ({ connectionId }: Connection, cid: string) => `${connectionId} ${cid}`;
  return {
    ask(connection, frame, withinMs) {
      const cid = connection.link.command(frame, timers.now());
      if (cid === null) return Promise.resolve(null);
      const name = nameOf(connection, cid);
      return new Promise((resolve) => {
        const stop = timers.after(withinMs, () => answer(null));
        const answer = (reply: Reply | null) => {
          stop();
          open.delete(name);
          resolve(reply);
        };
        open.set(name, { connection, answer });
      });
    },
    replied: (connection, reply) => open.get(nameOf(connection, reply.cid))?.answer(reply),
    left(gone) {
      for (const { connection, answer } of open.values()) if (connection === gone) answer(null);
    },
  };
}
