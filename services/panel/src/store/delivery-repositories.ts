import { DETECTED_SETTINGS } from "@triptych/contracts";
import { insertMany } from "@triptych/storage";
import type { ContactRepository, StatementRepository, UploadRepository } from "../domain/delivery-repositories.ts";
import type { ContactRecord } from "../domain/reachability-checks.ts";
import type { EffectRecord, EffectRepository } from "../domain/effects.ts";
import type { ContactRow, Db, EffectRow } from "./tables.ts";
import type { SystemQueries } from "../domain/repositories.ts";

export function createUploadRepository(db: Db, owner: string): UploadRepository {
  return {
    async delivery(runId, epoch) {
      const query = db.selectFrom("delivery").select(["sha256", "bytes", "diff_sha256"]).where("owner", "=", owner);
      const row = await query.where("run_id", "=", runId).where("epoch", "=", epoch).executeTakeFirst();
      return row === undefined ? null : { sha256: row.sha256, bytes: row.bytes, diffSha256: row.diff_sha256 };
    },
    async keepDelivery({ runId, epoch, sha256, bytes, at }) {
      const row = { owner, run_id: runId, epoch, sha256, bytes, at, diff_sha256: null };
      await insertMany(db, "delivery", [row], { onConflict: { columns: ["owner", "run_id", "epoch"], do: "replace" } });
    },
    async keepDiff({ runId, epoch, sha256, diffSha256 }) {
      const statement = db.updateTable("delivery").set({ diff_sha256: diffSha256 }).where("owner", "=", owner);
      await statement.where("run_id", "=", runId).where("epoch", "=", epoch).where("sha256", "=", sha256).execute();
    },
    async artifact(runId, sha256) {
      const query = db.selectFrom("artifact").select(["bytes", "kept_sha256"]).where("owner", "=", owner);
      const row = await query.where("run_id", "=", runId).where("sha256", "=", sha256).executeTakeFirst();
      return row === undefined ? null : { sha256, bytes: row.bytes, storedSha256: row.kept_sha256 ?? sha256 };
    },
    async keepArtifact({ runId, sha256, storedSha256, bytes, at }) {
      const row = {
        owner,
        run_id: runId,
        sha256,
        bytes,
        at,
        kept_sha256: storedSha256 === sha256 ? null : storedSha256,
      };
      await insertMany(db, "artifact", [row], { onConflict: { columns: ["owner", "run_id", "sha256"], do: "ignore" } });
    },
    async artifactsOf(runId) {
      const counted = db
        .selectFrom("artifact")
        .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.sum<number | string | null>("bytes").as("bytes")]);
      const row = await counted.where("owner", "=", owner).where("run_id", "=", runId).executeTakeFirstOrThrow();
      return { count: row.count, bytes: Number(row.bytes ?? 0) };
    },
  };
}

export function createStatementRepository(db: Db, owner: string): StatementRepository {
  return {
    async find(runId) {
      const mine = db.selectFrom("run_statement").select("envelope").where("owner", "=", owner);
      return (await mine.where("run_id", "=", runId).executeTakeFirst())?.envelope ?? null;
    },
    async add({ runId, envelope, at }) {
      const row = { owner, run_id: runId, envelope, at };
      await insertMany(db, "run_statement", [row], { onConflict: { columns: ["owner", "run_id"], do: "ignore" } });
    },
  };
}

export function createEffectRepository(db: Db, owner: string): EffectRepository {
  const mine = () => db.selectFrom("effect").selectAll().where("owner", "=", owner);
  return {
    async find(runId, kind) {
      const row = await mine().where("run_id", "=", runId).where("kind", "=", kind).executeTakeFirst();
      return row === undefined ? null : toEffect(row);
    },
    async withPatch(repoId, patchId) {
      const same = mine().where("repo_id", "=", repoId).where("patch_id", "=", patchId).where("kind", "=", "pr");
      return (await same.limit(100).execute()).map(toEffect);
    },
    async countOpenPrs(repoId) {
      const open = db
        .selectFrom("effect")
        .select((eb) => eb.fn.countAll<number>().as("n"))
        .where("owner", "=", owner);
      const ofRepo = open.where("repo_id", "=", repoId).where("kind", "=", "pr").where("state", "=", "watching");
      return (await ofRepo.executeTakeFirstOrThrow()).n;
    },
    async save(effect) {
      const columns = ["owner", "run_id", "kind"] as const;
      await insertMany(db, "effect", [effectRow(owner, effect)], { onConflict: { columns, do: "replace" } });
    },
  };
}

export function toEffect(row: EffectRow): EffectRecord {
  return {
    runId: row.run_id,
    repoId: row.repo_id,
    kind: row.kind,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.next_at,
    leasedBy: row.leased_by,
    leaseUntil: row.lease_until,
    patchId: row.patch_id,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as EffectRecord["outcome"]),
  };
}

export function effectRow(owner: string, effect: EffectRecord): EffectRow {
  return {
    owner,
    run_id: effect.runId,
    kind: effect.kind,
    repo_id: effect.repoId,
    state: effect.state,
    attempts: effect.attempts,
    next_at: effect.nextAt,
    leased_by: effect.leasedBy,
    lease_until: effect.leaseUntil,
    patch_id: effect.patchId,
    outcome: effect.outcome === null ? null : JSON.stringify(effect.outcome),
  };
}

export function createContactRepository(db: Db, owner: string): ContactRepository {
  return {
    async find(repoId) {
      const mine = db.selectFrom("contact").selectAll().where("owner", "=", owner);
      const row = await mine.where("repo_id", "=", repoId).executeTakeFirst();
      return row === undefined ? null : toContact(row);
    },
    async save(contact) {
      const columns = ["owner", "repo_id"] as const;
      await insertMany(db, "contact", [contactRow(owner, contact)], { onConflict: { columns, do: "replace" } });
    },
  };
}

export function toContact(row: Omit<ContactRow, "owner">): ContactRecord {
  return {
    repoId: row.repo_id,
    nextAt: row.next_at,
    checkedAt: row.checked_at,
    canPush: row.can_push === null ? null : row.can_push === 1,
    canOpenPr: row.can_open_pr === null ? null : row.can_open_pr === 1,
    detectsVerify: row.detects_verify === 1,
    detectsSetup: row.detects_setup === 1,
    detected: DETECTED_SETTINGS.filter((name) => row.detected.includes(`"${name}"`)),
    // JSON written by this file.
    hosts: JSON.parse(row.hosts) as string[],
  };
}

function contactRow(owner: string, contact: ContactRecord): ContactRow {
  const flag = (claim: boolean | null) => (claim === null ? null : Number(claim));
  return {
    owner,
    repo_id: contact.repoId,
    next_at: contact.nextAt,
    checked_at: contact.checkedAt,
    can_push: flag(contact.canPush),
    can_open_pr: flag(contact.canOpenPr),
    detects_verify: contact.detectsVerify ? 1 : 0,
    detects_setup: contact.detectsSetup ? 1 : 0,
    detected: JSON.stringify(contact.detected),
    hosts: JSON.stringify(contact.hosts),
  };
}

type DeliveryQueries = Pick<
  SystemQueries,
  "dueEffects" | "countEffects" | "cutEffectLeases" | "dueContacts" | "needsBlob" | "forgetUploads"
>;

export function createDeliveryQueries(db: Db): DeliveryQueries {
  return {
    async dueEffects(now, most) {
      const rows = await db
        .selectFrom("effect")
        .select(["owner", "run_id", "kind"])
        .where("state", "in", ["waiting", "watching"])
        .where("next_at", "<=", now)
        .orderBy("next_at")
        .limit(most)
        .execute();
      return rows.map(({ owner, run_id, kind }) => ({ owner, runId: run_id, kind }));
    },
    async cutEffectLeases(until) {
      const cut = { lease_until: until, next_at: until };
      await db.updateTable("effect").set(cut).where("lease_until", ">", until).execute();
    },
    countEffects: () =>
      db
        .selectFrom("effect")
        .select((eb) => ["kind", "state", eb.fn.countAll<number>().as("count")])
        .where("state", "in", ["waiting", "watching"])
        .groupBy(["kind", "state"])
        .execute(),
    async dueContacts(now, most) {
      const due = db.selectFrom("contact").select(["owner", "repo_id"]).where("next_at", "<=", now);
      const rows = await due.orderBy("next_at").limit(most).execute();
      return rows.map(({ owner, repo_id }) => ({ owner, repoId: repo_id }));
    },
    async needsBlob(sha256) {
      const delivered = db.selectFrom("delivery").select("run_id").limit(1);
      const artifacts = db.selectFrom("artifact").select("run_id").limit(1);
      const rows = [
        await delivered.where("sha256", "=", sha256).executeTakeFirst(),
        await delivered.where("diff_sha256", "=", sha256).executeTakeFirst(),
        await artifacts.where("sha256", "=", sha256).where("kept_sha256", "is", null).executeTakeFirst(),
        await artifacts.where("kept_sha256", "=", sha256).executeTakeFirst(),
      ];
      return rows.some((row) => row !== undefined);
    },
    async forgetUploads(restedBefore, most) {
      let forgotten = 0;
      for (const table of ["delivery", "artifact"] as const) {
        const old = await db
          .selectFrom(table)
          .innerJoin("run", (join) =>
            join.onRef("run.owner", "=", `${table}.owner`).onRef("run.id", "=", `${table}.run_id`),
          )
          .select([`${table}.owner as owner`, `${table}.run_id as run_id`])
          // A run that rests as pushed never ends.
          .where((eb) => eb(eb.fn.coalesce("run.ended_at", "run.pushed_at"), "<", restedBefore))
          .limit(most)
          .execute();
        for (const { owner, run_id } of old)
          await db.deleteFrom(table).where("owner", "=", owner).where("run_id", "=", run_id).execute();
        forgotten += old.length;
      }
      return forgotten;
    },
  };
}
