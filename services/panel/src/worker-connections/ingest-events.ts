/** What goes on in a run: its worker's messages are stored, acknowledged after the commit, and two kinds of them mean more. */
import type { WorkerFrame } from "@triptych/contracts";
import { countTokens } from "../domain/account-usage.ts";
import { isHeard } from "../domain/leases.ts";
import type { Books } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { usageAfter, type RoleUsage } from "../domain/run-usage.ts";
import type { Live } from "./connection-registry.ts";
import { readUsage } from "./frames.ts";
import { propose } from "./candidate-intake.ts";
import { tellToStop, type Room } from "./channel-context.ts";

type Events = Extract<WorkerFrame, { readonly t: "events" }>;

export async function takeEvents(room: Room, live: Live, { run_id: runId, epoch, items }: Events): Promise<void> {
  const upto = Math.max(...items.map(({ wseq }) => wseq));
  if (!(await isOwn(room, live, { runId, epoch }))) {
    // Acknowledged all the same: what nobody wants must not fill the worker's spool.
    live.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
    tellToStop(room, live, { runId, epoch });
    return;
  }
  const said = items.map((item) => itemOf(item, room.timers.now()));
  const usage = lastOfRoles(said.filter(({ kind }) => kind === "usage").map(({ data }) => readUsage(data)));
  const proposals = said.filter(({ kind }) => kind === "memory_proposal");
  // Before the messages: sent again after a crash between the two, they say the same.
  if (usage.length > 0 || proposals.length > 0) {
    const redactor = await room.secrets.redactorOf(live.owner, runId, epoch);
    await room.store.change(live.owner, async (books) => {
      const run = await books.runs.find(runId);
      if (run === null || !isHeard(run, epoch)) return;
      if (usage.length > 0) await learnUsage(books, run, { told: usage, at: room.timers.now() });
      await propose(room, books, { run, said: proposals, redactor });
    });
  }
  // One that was fenced meanwhile has written nothing, and nobody wants it any more.
  await room.ingest(live.owner, runId, epoch, said);
  live.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
}

/** Runs that this connection holds are known without asking the store; a report that ended one may be overtaken by its last words. */
async function isOwn({ store }: Room, live: Live, held: { readonly runId: string; readonly epoch: number }) {
  if (live.runs.get(held.runId)?.epoch === held.epoch) return true;
  const run = await store.of(live.owner).runs.find(held.runId);
  return run !== null && run.epoch === held.epoch && run.workerId === live.worker.id;
}

function itemOf({ wseq, at, from, kind, text, data, round }: Events["items"][number], now: number): BusItem {
  const { role, agent = null, cli = null, model = null } = from;
  const time = Date.parse(at);
  return {
    wseq,
    kind,
    text,
    data,
    round: round ?? null,
    at: Number.isFinite(time) ? time : now,
    from: { role, agent, cli, model },
  };
}

function lastOfRoles(told: readonly (RoleUsage | null)[]): readonly RoleUsage[] {
  const known = told.filter((one) => one !== null);
  return [...new Map(known.map((one) => [one.role, one])).values()];
}

interface Told {
  readonly told: readonly RoleUsage[];
  readonly at: number;
}

async function learnUsage(books: Books, run: RunRecord, { told, at }: Told): Promise<void> {
  const usage = usageAfter(run.facts.usage, run.facts.usageBefore, told);
  await countTokens(books, { before: run.facts.usage, after: usage, at });
  await books.runs.learn({ ...run, facts: { ...run.facts, usage } });
}
