/** Stores the events of a run and acknowledges them after the commit. Usage and memory proposals are also applied. */
import type { WorkerFrame } from "@triptych/contracts";
import { countTokens } from "../domain/account-usage.ts";
import { isLeasedAt } from "../domain/leases.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { usageAfter, type RoleUsage } from "../domain/run-usage.ts";
import type { Connection } from "./connection-registry.ts";
import { readUsage } from "./frames.ts";
import { propose } from "./candidate-intake.ts";
import { requestCancel, type ChannelContext } from "./channel-context.ts";

type Events = Extract<WorkerFrame, { readonly t: "events" }>;

export async function takeEvents(
  context: ChannelContext,
  connection: Connection,
  { run_id: runId, epoch, items }: Events,
): Promise<void> {
  const upto = Math.max(...items.map(({ wseq }) => wseq));
  if (!(await isOwn(context, connection, { runId, epoch }))) {
    // Acknowledged although dropped, so that they do not fill the worker's spool.
    connection.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
    requestCancel(context, connection, { runId, epoch });
    return;
  }
  const events = items.map((item) => itemOf(item, context.timers.now()));
  const usage = lastOfRoles(events.filter(({ kind }) => kind === "usage").map(({ data }) => readUsage(data)));
  const proposals = events.filter(({ kind }) => kind === "memory_proposal");
  // Before the messages: both writes are idempotent, so a resend after a crash between the two is safe.
  if (usage.length > 0 || proposals.length > 0) {
    const redactor = await context.secrets.redactorOf(connection.owner, runId, epoch);
    await context.store.change(connection.owner, async (repositories) => {
      const run = await repositories.runs.find(runId);
      if (run === null || !isLeasedAt(run, epoch)) return;
      if (usage.length > 0) await learnUsage(repositories, run, { reported: usage, at: context.timers.now() });
      await propose(context, repositories, { run, proposals, redactor });
    });
  }
  // A batch fenced off meanwhile wrote nothing and is acknowledged as well.
  await context.ingest(connection.owner, runId, epoch, events);
  connection.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
}

/** Runs that this connection holds need no query. A final report may arrive before the last events of its run. */
async function isOwn(
  { store }: ChannelContext,
  connection: Connection,
  lease: { readonly runId: string; readonly epoch: number },
) {
  if (connection.runs.get(lease.runId)?.epoch === lease.epoch) return true;
  const run = await store.of(connection.owner).runs.find(lease.runId);
  return run !== null && run.epoch === lease.epoch && run.workerId === connection.worker.id;
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

function lastOfRoles(reports: readonly (RoleUsage | null)[]): readonly RoleUsage[] {
  const usages = reports.filter((usage) => usage !== null);
  return [...new Map(usages.map((usage) => [usage.role, usage])).values()];
}

interface UsageReport {
  readonly reported: readonly RoleUsage[];
  readonly at: number;
}

async function learnUsage(repositories: Repositories, run: RunRecord, { reported, at }: UsageReport): Promise<void> {
  const usage = usageAfter(run.facts.usage, run.facts.usageBefore, reported);
  await countTokens(repositories, { before: run.facts.usage, after: usage, at });
  await repositories.runs.learn({ ...run, facts: { ...run.facts, usage } });
}
