import { insertMany } from "@triptych/storage";
import type { ChangeEvent } from "../domain/repositories.ts";
import type { CheckRepository } from "../domain/repo-checks.ts";
import type { CheckRow, Db } from "./tables.ts";
import type { CheckedCommand, CheckRecord } from "../domain/records.ts";

/** More than an account has workers. */
const RUNNING_MAX = 1_000;

export function checkRepository(db: Db, owner: string, notify: (hint: ChangeEvent) => void): CheckRepository {
  const mine = () => db.selectFrom("repo_check").selectAll().where("owner", "=", owner);
  const changed = (repoId: string) => notify({ type: "repo", owner, id: repoId, repoId, revision: null });
  return {
    async find(repoId) {
      const row = await mine().where("repo_id", "=", repoId).executeTakeFirst();
      return row === undefined ? null : toCheck(row);
    },
    async save(check) {
      const columns = ["owner", "repo_id"] as const;
      await insertMany(db, "repo_check", [checkRow(owner, check)], { onConflict: { columns, do: "replace" } });
      changed(check.repoId);
    },
    async remove(repoId) {
      await db.deleteFrom("repo_check").where("owner", "=", owner).where("repo_id", "=", repoId).execute();
      changed(repoId);
    },
    async running() {
      return (await mine().where("state", "=", "running").limit(RUNNING_MAX).execute()).map(toCheck);
    },
  };
}

export function toCheck(row: CheckRow): CheckRecord {
  const { id, state, attempts, message, deadline } = row;
  return {
    repoId: row.repo_id,
    id,
    state,
    attempts,
    workerId: row.worker_id,
    deadline,
    message,
    // JSON written by `save`.
    setup: row.setup === null ? null : (JSON.parse(row.setup) as CheckedCommand),
    verify: row.verify === null ? null : (JSON.parse(row.verify) as CheckedCommand),
    requestedAt: row.requested_at,
    checkedAt: row.checked_at,
  };
}

function checkRow(owner: string, check: CheckRecord): CheckRow {
  const { id, state, attempts, message, deadline, setup, verify } = check;
  return {
    owner,
    repo_id: check.repoId,
    id,
    state,
    attempts,
    worker_id: check.workerId,
    deadline,
    message,
    setup: setup === null ? null : JSON.stringify(setup),
    verify: verify === null ? null : JSON.stringify(verify),
    requested_at: check.requestedAt,
    checked_at: check.checkedAt,
  };
}
