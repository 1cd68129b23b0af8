import type { CandidateState } from "@triptych/contracts";
import type { CandidateRepository, CandidateCounts } from "../domain/candidates/repository.ts";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { CandidateRecord } from "../domain/records.ts";
import type { CandidateRow, Db } from "./tables.ts";

export function createCandidateRepository(
  db: Db,
  owner: string,
  notify: (hint: ChangeEvent) => void,
): CandidateRepository {
  const ofRepo = (repoId: string) =>
    db.selectFrom("candidate").selectAll().where("owner", "=", owner).where("repo_id", "=", repoId);
  const changed = ({ id, repoId }: CandidateRecord) => notify({ type: "candidate", owner, id, repoId, revision: null });
  return {
    async find(id) {
      const mine = db.selectFrom("candidate").selectAll().where("owner", "=", owner).where("id", "=", id);
      const row = await mine.executeTakeFirst();
      return row === undefined ? null : toCandidate(row);
    },
    async withFingerprint(repoId, fingerprint) {
      const row = await ofRepo(repoId).where("fingerprint", "=", fingerprint).executeTakeFirst();
      return row === undefined ? null : toCandidate(row);
    },
    async list(repoId, { state, category }, { below, limit }) {
      let query = ofRepo(repoId);
      if (state !== null) query = query.where("state", "=", state);
      if (category !== undefined) query = query.where("category", "=", category);
      if (below !== null)
        query = query.where((eb) =>
          eb.or([eb("score", "<", below.score), eb.and([eb("score", "=", below.score), eb("id", "<", below.id)])]),
        );
      return (await query.orderBy("score", "desc").orderBy("id", "desc").limit(limit).execute()).map(toCandidate);
    },
    async add(candidate) {
      await db.insertInto("candidate").values(candidateRow(owner, candidate)).execute();
      changed(candidate);
    },
    async save(candidate) {
      const statement = db.updateTable("candidate").where("owner", "=", owner).where("id", "=", candidate.id);
      await statement.set(candidateRow(owner, candidate)).execute();
      changed(candidate);
    },
    async tally(repoId, { suppressed, droppedGreen }) {
      await db
        .insertInto("scout_tally")
        .values({ owner, repo_id: repoId, suppressed, dropped_green: droppedGreen })
        .onConflict((conflict) =>
          conflict.columns(["owner", "repo_id"]).doUpdateSet((eb) => ({
            suppressed: eb("scout_tally.suppressed", "+", suppressed),
            dropped_green: eb("scout_tally.dropped_green", "+", droppedGreen),
          })),
        )
        .execute();
    },
    counts: (repoId) => countsOf(db, owner, repoId),
  };
}

async function countsOf(db: Db, owner: string, repoId: string): Promise<CandidateCounts> {
  const rows = await db
    .selectFrom("candidate")
    .select("state")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .select((eb) => eb.fn.sum<number>("was_selected").as("selected"))
    .select((eb) => eb.fn.sum<number>("was_delivered").as("delivered"))
    .where("owner", "=", owner)
    .where("repo_id", "=", repoId)
    .groupBy("state")
    .execute();
  const tallied = db.selectFrom("scout_tally").selectAll().where("owner", "=", owner).where("repo_id", "=", repoId);
  const tally = await tallied.executeTakeFirst();
  const of = (state: CandidateState) => rows.find((row) => row.state === state)?.n ?? 0;
  return {
    byState: { proposed: of("proposed"), selected: of("selected"), rejected: of("rejected"), done: of("done") },
    everSelected: rows.reduce((sum, { selected }) => sum + selected, 0),
    delivered: rows.reduce((sum, { delivered }) => sum + delivered, 0),
    suppressed: tally?.suppressed ?? 0,
    droppedGreen: tally?.dropped_green ?? 0,
  };
}

function toCandidate(row: CandidateRow): CandidateRecord {
  return {
    id: row.id,
    repoId: row.repo_id,
    exploreRunId: row.explore_run_id,
    state: row.state,
    proposal: JSON.parse(row.proposal) as CandidateRecord["proposal"],
    baseSha: row.base_sha,
    isStale: row.stale === 1,
    attempts: row.attempts,
    runId: row.run_id,
    outcome: row.outcome,
    reject: row.reject === null ? null : (JSON.parse(row.reject) as CandidateRecord["reject"]),
    was: { selected: row.was_selected === 1, delivered: row.was_delivered === 1 },
    createdAt: row.created_at,
  };
}

function candidateRow(owner: string, candidate: CandidateRecord): CandidateRow {
  const { proposal, reject, was } = candidate;
  return {
    owner,
    id: candidate.id,
    repo_id: candidate.repoId,
    explore_run_id: candidate.exploreRunId,
    state: candidate.state,
    fingerprint: proposal.fingerprint,
    category: proposal.category,
    score: proposal.score,
    proposal: JSON.stringify(proposal),
    base_sha: candidate.baseSha,
    stale: candidate.isStale ? 1 : 0,
    attempts: candidate.attempts,
    run_id: candidate.runId,
    outcome: candidate.outcome,
    reject: reject === null ? null : JSON.stringify(reject),
    was_selected: was.selected ? 1 : 0,
    was_delivered: was.delivered ? 1 : 0,
    created_at: candidate.createdAt,
  };
}
