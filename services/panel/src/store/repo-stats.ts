/** Statistics of repos, as the API shows them: a few grouped queries for all repos of a page. */
import { sql } from "@triptych/storage";
import type { RepoStats } from "../domain/records.ts";
import { phaseOf } from "../domain/run-states.ts";
import { toCheck } from "./check-repository.ts";
import { toContact } from "./delivery-repositories.ts";
import type { CheckRow, ContactRow, Db, RunRow } from "./tables.ts";

interface StatsQuery {
  readonly owner: string;
  readonly ids: readonly string[];
  readonly since: number;
}

export async function statsOf(db: Db, query: StatsQuery): Promise<ReadonlyMap<string, RepoStats>> {
  const { owner, ids } = query;
  if (ids.length === 0) return new Map();
  const runs = await groupedRuns(db, query);
  const pending = await db
    .selectFrom("memory")
    .select("repo_id")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("owner", "=", owner)
    .where("repo_id", "in", ids)
    .where("status", "=", "pending")
    .groupBy("repo_id")
    .execute();
  const proposed = await db
    .selectFrom("candidate")
    .select("repo_id")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("owner", "=", owner)
    .where("repo_id", "in", ids)
    .where("state", "=", "proposed")
    .groupBy("repo_id")
    .execute();
  const open = await db
    .selectFrom("effect")
    .select("repo_id")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("owner", "=", owner)
    .where("repo_id", "in", ids)
    .where("kind", "=", "pr")
    .where("state", "=", "watching")
    .groupBy("repo_id")
    .execute();
  const contacts = await db
    .selectFrom("contact")
    .selectAll()
    .where("owner", "=", owner)
    .where("repo_id", "in", ids)
    .execute();
  const checks = await db
    .selectFrom("repo_check")
    .selectAll()
    .where("owner", "=", owner)
    .where("repo_id", "in", ids)
    .execute();
  return new Map(
    ids.map((id) => {
      const ofRepo = runs.filter(({ repo_id }) => repo_id === id);
      const last = ofRepo.toSorted((a, b) => (a.last < b.last ? 1 : -1)).at(0);
      const lately = (phase: "success" | "failure") =>
        ofRepo.filter((row) => phaseOfRow(row) === phase).reduce((sum, row) => sum + row.lately, 0);
      const stats: RepoStats = {
        openPrs: open.find(({ repo_id }) => repo_id === id)?.n ?? 0,
        lastRun: last === undefined ? null : { id: last.last, state: last.state },
        ended: { well: lately("success"), badly: lately("failure") },
        prs: prsOf(ofRepo),
        candidatesProposed: proposed.find(({ repo_id }) => repo_id === id)?.n ?? 0,
        memoriesPending: pending.find(({ repo_id }) => repo_id === id)?.n ?? 0,
        ...contactOf(contacts.find(({ repo_id }) => repo_id === id)),
        ...checkOf(checks.find(({ repo_id }) => repo_id === id)),
      };
      return [id, stats];
    }),
  );
}

type RunGroup = Awaited<ReturnType<typeof groupedRuns>>[number];

function groupedRuns(db: Db, { owner, ids, since }: StatsQuery) {
  // Pushed runs without pull requests rest and never end.
  const isLate = sql<boolean>`coalesce(ended_at, pushed_at) >= ${since} and kind = 'maintain'`;
  const isEnded = sql<boolean>`pr_ended_at >= ${since}`;
  return (
    db
      .selectFrom("run")
      .select(["repo_id", "state", "wants_pr", "needs_attention"])
      .select((eb) => eb.fn.max("id").as("last"))
      // Explore runs deliver nothing and only users cancel runs: neither counts towards the success rate.
      .select(sql<number>`sum(case when ${isLate} and state <> 'cancelled' then 1 else 0 end)`.as("lately"))
      .select(sql<number>`sum(case when ${isEnded} and pr_outcome = 'merged' then 1 else 0 end)`.as("merged"))
      .select(sql<number>`sum(case when ${isEnded} and pr_outcome = 'closed' then 1 else 0 end)`.as("closed"))
      // PostgreSQL sums bigint as numeric.
      .select(sql<number>`cast(sum(case when ${isLate} then coalesce(cost_micro, 0) else 0 end) as bigint)`.as("cost"))
      .select(sql<number>`sum(case when ${isLate} and cost_micro is null then 1 else 0 end)`.as("unpriced"))
      .where("owner", "=", owner)
      .where("repo_id", "in", ids)
      .groupBy(["repo_id", "state", "wants_pr", "needs_attention"])
      .execute()
  );
}

function prsOf(groups: readonly RunGroup[]): RepoStats["prs"] {
  const sum = (of: (group: RunGroup) => number) => groups.reduce((total, group) => total + of(group), 0);
  const isPriced = groups.every(({ unpriced }) => unpriced === 0);
  return {
    merged: sum(({ merged }) => merged),
    closed: sum(({ closed }) => closed),
    costMicro: isPriced ? sum(({ cost }) => cost) : null,
  };
}

function contactOf(row: ContactRow | undefined): Pick<RepoStats, "contact"> {
  if (row === undefined) return {};
  const { checkedAt, canPush, canOpenPr, detected, hosts } = toContact(row);
  return checkedAt === null ? {} : { contact: { checkedAt, canPush, canOpenPr, detected, hosts } };
}

function checkOf(row: CheckRow | undefined): Pick<RepoStats, "check"> {
  return row === undefined ? {} : { check: toCheck(row) };
}

type PhaseRow = Pick<RunRow, "state" | "wants_pr" | "needs_attention">;

function phaseOfRow({ state, wants_pr, needs_attention }: PhaseRow) {
  return phaseOf(state, { wantsPr: wants_pr === 1, needsAttention: needs_attention === 1 });
}
