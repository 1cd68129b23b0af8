/** Repos of an account. Removed repos stay as rows for their history and are excluded here. */
import { sql } from "@triptych/storage";
import type { ChangeEvent, RepoRepository } from "../domain/repositories.ts";
import { repoRow, toRepo } from "./rows.ts";
import { statsOf } from "./repo-stats.ts";
import type { Db } from "./tables.ts";

export function createRepoRepository(db: Db, owner: string, notify: (hint: ChangeEvent) => void): RepoRepository {
  const changed = (id: string, revision: number | null) => notify({ type: "repo", owner, id, repoId: id, revision });
  const mine = () => db.selectFrom("repo").selectAll().where("owner", "=", owner).where("removed_at", "is", null);
  const updateOf = (id: string) => db.updateTable("repo").where("owner", "=", owner).where("id", "=", id);
  return {
    async find(id) {
      const row = await mine().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toRepo(row);
    },
    async list({ status, q }, { below, limit }) {
      let query = mine();
      if (status !== undefined) query = query.where("status", "=", status);
      // Lowercased by the store: SQLite's own `lower` covers ASCII only.
      if (q !== undefined)
        query = query.where(sql<boolean>`lower(name || ' ' || url) like lower(${containing(q)}) escape '\\'`);
      if (below !== null) query = query.where("id", "<", below);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toRepo);
    },
    async count() {
      const counted = db.selectFrom("repo").select((eb) => eb.fn.countAll<number>().as("n"));
      const row = await counted.where("owner", "=", owner).where("removed_at", "is", null).executeTakeFirstOrThrow();
      return row.n;
    },
    async withAddress(canonical) {
      const row = await mine().where("canonical", "=", canonical).executeTakeFirst();
      return row === undefined ? null : toRepo(row);
    },
    async add(repo) {
      await db.insertInto("repo").values(repoRow(owner, repo)).execute();
      changed(repo.id, repo.revision);
    },
    async save(repo) {
      await updateOf(repo.id)
        .set({ ...repoRow(owner, repo), revision: repo.revision + 1 })
        .execute();
      changed(repo.id, repo.revision + 1);
    },
    async notePolicy(id, policy) {
      await updateOf(id)
        .set({ ai_policy: JSON.stringify(policy) })
        .execute();
      changed(id, null);
    },
    async remove(id, at, { keepsCredential } = { keepsCredential: false }) {
      await updateOf(id)
        .set({ removed_at: at, ...(!keepsCredential && NO_CREDENTIAL) })
        .execute();
      changed(id, null);
    },
    async findForPush(id) {
      const any = db.selectFrom("repo").selectAll().where("owner", "=", owner);
      const row = await any.where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : { ...toRepo(row), isRemoved: row.removed_at !== null };
    },
    async destroyCredential(id) {
      await updateOf(id).set(NO_CREDENTIAL).execute();
    },
    async sealed(runId) {
      const query = db.selectFrom("repo").select(["id", "revision", "sealed_credential"]).where("owner", "=", owner);
      const present = query.where("removed_at", "is", null).where("sealed_credential", "is not", null);
      const own = db.selectFrom("run").select("repo_id").where("owner", "=", owner).where("id", "=", runId);
      const rows = await present
        .orderBy((eb) => eb.case().when("id", "=", own).then(0).else(1).end())
        .orderBy("id", "desc")
        .limit(CREDENTIALS_MAX)
        .execute();
      return rows.flatMap(({ id, revision, sealed_credential: sealed }) =>
        sealed === null ? [] : [{ id, revision, sealed }],
      );
    },
    async variablesOf(runId) {
      const own = db.selectFrom("run").select("repo_id").where("owner", "=", owner).where("id", "=", runId);
      const row = await mine().where("id", "=", own).executeTakeFirst();
      return row === undefined ? null : toRepo(row);
    },
    stats: (ids, since) => statsOf(db, { owner, ids, since }),
  };
}

/** Each is searched in every text of the account's runs. */
const CREDENTIALS_MAX = 100;

const NO_CREDENTIAL = { sealed_credential: null, credential_kind: "none" } as const;

function containing(q: string): string {
  return `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
