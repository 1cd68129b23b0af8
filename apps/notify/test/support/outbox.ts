/** An outbox in a temporary folder, with targets that a test controls. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventId, type EventType, type NotifyEvent } from "../../src/event.ts";
import type { Rule } from "../../src/rules.ts";
import { locationOf, notifyStore, storeEvents, storeTargets, type NotifyDatabase } from "../../src/store.ts";
import type { OutgoingMessage, Outcome, Target } from "../../src/targets/target.ts";

export async function openOutbox() {
  const folder = mkdtempSync(join(tmpdir(), "notify-"));
  const database = await notifyStore.open(locationOf(folder), { sync: "normal" });
  return {
    database,
    folder,
    async [Symbol.asyncDispose]() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function recordingTarget(
  id: string,
  answer: (message: OutgoingMessage) => Outcome = () => ({ kind: "delivered" }),
) {
  const attempts: string[] = [];
  const delivered: string[] = [];
  const target: Target = {
    id,
    label: id,
    send(message) {
      const outcome = answer(message);
      attempts.push(message.event.id);
      if (outcome.kind === "delivered") delivered.push(message.event.id);
      return Promise.resolve(outcome);
    },
  };
  return { target, attempts, delivered };
}

export function ruleTo(target: Target, events: readonly EventType[]): Rule {
  return { name: "rule", events, targets: [target], matches: ({ type }) => events.some((event) => event === type) };
}

export function sampleEvent(number: number, at: number): NotifyEvent {
  const id = eventId("run.failed", `run_${number}`);
  return { id, type: "run.failed", at, repo: "acme/sum", title: `Run ${number}`, text: "", path: "/", data: {} };
}

export async function store(database: NotifyDatabase, target: Target, events: readonly NotifyEvent[], now: number) {
  await storeTargets(database, [target]);
  const news = events.map((event) => ({ event, targets: [target] }));
  await database.transaction((tx) => storeEvents(tx, news, now));
}
