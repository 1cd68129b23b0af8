import type { ChangeEvent, MemoryRepository } from "../domain/repositories.ts";
import { memoryRow, toMemory } from "./rows.ts";
import type { Db } from "./tables.ts";

/** Higher than the limit of every plan. */
const ACTIVE_MAX = 1_000;

export function createMemoryRepository(db: Db, owner: string, notify: (hint: ChangeEvent) => void): MemoryRepository {
  const changed = (id: string, repoId: string) => notify({ type: "memory", owner, id, repoId, revision: null });
  const ofRepo = (repoId: string) =>
    db.selectFrom("memory").selectAll().where("owner", "=", owner).where("repo_id", "=", repoId);
  return {
    async find(repoId, id) {
      const row = await ofRepo(repoId).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toMemory(row);
    },
    async withText(repoId, normalised) {
      const row = await ofRepo(repoId).where("normalised", "=", normalised).executeTakeFirst();
      return row === undefined ? null : toMemory(row);
    },
    async list(repoId, { status, kind }, { below, limit }) {
      let query = ofRepo(repoId);
      if (status !== undefined) query = query.where("status", "=", status);
      if (kind !== undefined) query = query.where("kind", "=", kind);
      if (below !== null) query = query.where("id", "<", below);
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toMemory);
    },
    async count(repoId) {
      const counted = db.selectFrom("memory").select((eb) => eb.fn.countAll<number>().as("n"));
      const row = await counted.where("owner", "=", owner).where("repo_id", "=", repoId).executeTakeFirstOrThrow();
      return row.n;
    },
    async add(memory) {
      await db.insertInto("memory").values(memoryRow(owner, memory)).execute();
      changed(memory.id, memory.repoId);
    },
    async save(memory) {
      const statement = db.updateTable("memory").where("owner", "=", owner).where("id", "=", memory.id);
      await statement.set(memoryRow(owner, memory)).execute();
      changed(memory.id, memory.repoId);
    },
    async remove(repoId, id) {
      const statement = db.deleteFrom("memory").where("owner", "=", owner).where("repo_id", "=", repoId);
      const removed = Number((await statement.where("id", "=", id).executeTakeFirst()).numDeletedRows) > 0;
      if (removed) changed(id, repoId);
      return removed;
    },
    async active(repoId) {
      const query = ofRepo(repoId).where("status", "=", "active").orderBy("id", "desc").limit(ACTIVE_MAX);
      return (await query.execute()).map(toMemory);
    },
    async use(ids, at) {
      if (ids.length === 0) return;
      await db
        .updateTable("memory")
        .set((eb) => ({ hits: eb("hits", "+", 1), last_used_at: at }))
        .where("owner", "=", owner)
        .where("id", "in", [...ids])
        .execute();
    },
  };
}
