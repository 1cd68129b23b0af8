/**
 * Receives the panel's messages, assigns runs to slots, and keeps each until its final message is acknowledged. Lives until stopped,
 * dismissed by the panel, or done with its single run.
 */
import { frameText } from "../session/frames.ts";
import { createRunSessions } from "../session/run-sessions.ts";
import { createWorkerChecks } from "../session/worker-checks.ts";
import { initialAvailability, isOpen, reduceAvailability, type AvailabilityEvent } from "./availability.ts";
import type { ConnectionEvent, WorkerStatus } from "./connection.ts";
import { onTokenRejected } from "./license-key.ts";
import { handlePanelFrame } from "./panel-frames.ts";
import type { WorkerContext, WorkerOptions } from "./worker-context.ts";

export interface Worker {
  /** Takes no new runs; resolves when the current ones are done. */
  drain(): Promise<void>;
  /** Returns unfinished runs to the panel and closes the connection. */
  stop(): Promise<void>;
  /** Why it ended by itself; pending after a stop. */
  readonly ended: Promise<Ended>;
}

export type Ended = { readonly kind: "done" } | { readonly kind: "dismissed"; readonly why: string };

export function startWorker(options: WorkerOptions): Worker {
  const { runs, left, tools, slots } = options;
  const ended = Promise.withResolvers<Ended>();
  let availability = initialAvailability(options.isOnce);
  const shared = { runs, send: (text: string) => connection.send(text), onChange: sendStatus };
  const checks = createWorkerChecks({ ...shared, tools });
  const sessions = createRunSessions({ ...shared, left, log: tools.log, now: tools.now, onClosed: runClosed });
  const freeSlots = () => slots - sessions.countWorking() - checks.running;
  const connection = options.connect(currentStatus(), onEvent);
  const context: WorkerContext = {
    options,
    connection,
    sessions,
    checks,
    availability: () => availability,
    update,
    freeSlots,
    send: (frame) => connection.send(frameText(frame)),
  };

  return {
    ended: ended.promise,
    drain() {
      update({ kind: "draining" });
      return sessions.whenEmpty();
    },
    stop() {
      update({ kind: "draining" });
      return giveBackRuns(context);
    },
  };

  function onEvent(event: ConnectionEvent): void {
    switch (event.kind) {
      case "frame":
        return handlePanelFrame(event.frame, context);
      case "down":
        update({ kind: "down" });
        return sessions.dispatchToAll({ kind: "down" });
      case "refused":
        void onTokenRejected({ key: options.key, connection, log: tools.log });
        return;
      case "error":
        return tools.log(event.text);
      case "dismissed":
        void Promise.all([sessions.dropUnfinished(), checks.stop()]).then(() => end(event));
    }
  }

  function update(event: AvailabilityEvent): void {
    availability = reduceAvailability(availability, event);
    sendStatus();
  }

  function runClosed(isLast: boolean): void {
    sendStatus();
    if (isLast && availability.runsLeft <= 0) void end({ kind: "done" });
  }

  async function end(how: Ended): Promise<void> {
    await connection.close();
    ended.resolve(how);
  }

  function currentStatus(): WorkerStatus {
    return {
      holding: sessions.holding(),
      checking: checks.ids,
      freeSlots: isOpen(availability) ? Math.max(0, freeSlots()) : 0,
    };
  }

  function sendStatus(): void {
    connection.setStatus(currentStatus());
  }
}

async function giveBackRuns({ connection, sessions, checks, availability, send }: WorkerContext): Promise<void> {
  const [cutShort] = await Promise.all([sessions.giveBack(), checks.stop()]);
  for (const lease of cutShort) send({ t: "refuse", ...lease, reason: "stopping" });
  const { isUp } = availability();
  await connection.close();
  // If the messages could not be sent, the records stay, and the next process gives the runs back.
  if (isUp) for (const lease of cutShort) await sessions.remove(lease);
}
