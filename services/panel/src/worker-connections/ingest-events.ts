/** Stores the events of a run and acknowledges them after the commit. Also records token usage and proposed memories. */
import type { WorkerFrame } from "@triptych/contracts";
import { countTokens } from "../domain/account-usage.ts";
import { isLeasedAt } from "../domain/leases.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { BusItem, RunRecord } from "../domain/records.ts";
import { usageAfter, type RoleUsage } from "../domain/run-usage.ts";
import type { Connection } from "./connection-registry.ts";
import { readUsage } from "./frames.ts";
import { proposeMemories } from "./memory-proposals.ts";
import { requestCancel, type ChannelContext } from "./channel-context.ts";

type EventsFrame = Extract<WorkerFrame, { readonly t: "events" }>;

export async function ingestEvents(
  context: ChannelContext,
  connection: Connection,
  { run_id: runId, epoch, items }: EventsFrame,
): Promise<void> {
  const upto = Math.max(...items.map(({ wseq }) => wseq));
  if (!(await isOwnRun(context, connection, { runId, epoch }))) {
    // Dropped events are acknowledged too, otherwise they would fill the worker's spool.
    connection.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
    requestCancel(context, connection, { runId, epoch });
    return;
  }
  const events = items.map((item) => toBusItem(item, context.timers.now()));
  const usage = latestByRole(events.filter(({ kind }) => kind === "usage").map(({ data }) => readUsage(data)));
  const proposals = events.filter(({ kind }) => kind === "memory_proposal");
  // Not in one transaction with the events: both writes are idempotent, so a resend after a crash between them is safe.
  if (usage.length > 0 || proposals.length > 0) {
    const redactor = await context.secrets.redactorOf(connection.owner, runId, epoch);
    await context.store.change(connection.owner, async (repositories) => {
      const run = await repositories.runs.find(runId);
      if (run === null || !isLeasedAt(run, epoch)) return;
      if (usage.length > 0) await recordUsage(repositories, run, { reported: usage, at: context.timers.now() });
      await proposeMemories(context, repositories, { run, proposals, redactor });
    });
  }
  // A batch of an epoch that has ended in the meantime is not stored, but it is acknowledged.
  await context.ingest(connection.owner, runId, epoch, events);
  connection.link.answer({ t: "events_ack", run_id: runId, epoch, upto });
}

/**
 * A run that this connection holds needs no query. Its final report releases the run, and may arrive before its last
 * events: these need the query.
 */
async function isOwnRun(
  { store }: ChannelContext,
  connection: Connection,
  lease: { readonly runId: string; readonly epoch: number },
) {
  if (connection.runs.get(lease.runId)?.epoch === lease.epoch) return true;
  const run = await store.of(connection.owner).runs.find(lease.runId);
  return run !== null && run.epoch === lease.epoch && run.workerId === connection.worker.id;
}

function toBusItem({ wseq, at, from, kind, text, data, round }: EventsFrame["items"][number], now: number): BusItem {
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

function latestByRole(reports: readonly (RoleUsage | null)[]): readonly RoleUsage[] {
  const usages = reports.filter((usage) => usage !== null);
  return [...new Map(usages.map((usage) => [usage.role, usage])).values()];
}

interface UsageReport {
  readonly reported: readonly RoleUsage[];
  readonly at: number;
}

async function recordUsage(repositories: Repositories, run: RunRecord, { reported, at }: UsageReport): Promise<void> {
  const usage = usageAfter(run.facts.usage, run.facts.usageBefore, reported);
  await countTokens(repositories, { before: run.facts.usage, after: usage, at });
  await repositories.runs.learn({ ...run, facts: { ...run.facts, usage } });
}
