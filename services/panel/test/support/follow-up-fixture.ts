/** A run with an open pull request on the fake forge, watched for follow-ups; workers are played by the test. */
import type { Dialect } from "@triptych/fake-forge";
import type { RunRecord } from "../../src/domain/records.ts";
import { createDeliveryFixture, git, write as writeFiles } from "./delivery-fixture.ts";

export const MINUTE_MS = 60_000;
const FIX = { "sum.js": "export const sum = (a, b) => a + b;\n" };

export async function createFollowUpFixture({
  dialect = "github",
  followUp = true,
  forgeMs,
}: { readonly dialect?: Dialect; readonly followUp?: boolean | object; readonly forgeMs?: number } = {}) {
  const fixture = await createDeliveryFixture({
    dialect,
    ...(forgeMs !== undefined && { deliveryOverrides: { forgeMs } }),
  });
  const { token, owner, store, forge, bare, local } = fixture;
  const patch = (body: object) => fixture.ask("PATCH", `/api/repos/${fixture.repo.id}`, { token, body });
  await patch({ follow_up: followUp, status: "active" });
  const { run: parent } = await fixture.handOver(FIX);
  await fixture.deliveryServices.effects.poll();
  const opened = await fixture.openPr(parent.id);
  if (opened.statusCode !== 201) throw new Error(opened.body);
  const branch = `maint/${parent.id}`;
  const headSha = () => git(bare, "rev-parse", `refs/heads/${branch}`);

  return {
    ...fixture,
    parent,
    branch,
    headSha,
    patch,
    getRun: async (id: string) => (await fixture.ask("GET", `/api/runs/${id}`, { token })).json(),
    watch: () => store.of(owner).followUps.find(parent.id),
    followUp: (body: object = {}, id = parent.id) => fixture.ask("POST", `/api/runs/${id}/follow-up`, { token, body }),
    /** Polls as after this time. */
    async poll(ms = MINUTE_MS) {
      fixture.pass(ms);
      await fixture.deliveryServices.prWatcher.poll();
    },
    async setChecks(checks: Parameters<typeof forge.discussion.setChecks>[1]) {
      forge.discussion.setChecks(await headSha(), checks);
    },
    /** Follow-up runs, oldest first. */
    async followUps(): Promise<readonly RunRecord[]> {
      const runs = await store.of(owner).runs.list({ repoId: fixture.repo.id }, { below: null, limit: 50 });
      return runs.filter((run) => run.spec.followUp !== undefined).toReversed();
    },
    /** One commit on the head of the pull request. */
    async work(id: string, files: Readonly<Record<string, string>>) {
      const spec = (await fixture.runOf(id)).spec.followUp;
      if (spec === undefined) throw new Error(`${id} is not a follow-up`);
      await git(local, "fetch", "--quiet", bare, spec.branch);
      return this.deliver(id, async () => {
        await fixture.bundleOf(id, files, spec.headSha);
        return [`refs/heads/maint/${id}`, `^${spec.headSha}`];
      });
    },
    /** A worker's life of the run, up to pushing. */
    async deliver(id: string, commit: () => Promise<readonly string[]>) {
      const spec = (await fixture.runOf(id)).spec.followUp;
      const lease = { epoch: 1, attempt: 1, leaseUntil: fixture.now() + 45_000, workerId: "wrk_1" };
      await fixture.step(id, "leased", lease);
      await fixture.step(id, "accepted");
      const verify = { baseline: null, attempts: [], gate: null, verdict: "passed" as const };
      const base = { branch: spec?.branch ?? "", sha: spec?.headSha ?? "" };
      await fixture.step(id, "ready", { facts: { base, verify } });
      await fixture.step(id, "agent_ended");
      const runToken = fixture.deliveryServices.tokens.mint({ owner, runId: id, epoch: 1 }, fixture.now() + 3_600_000);
      const made = await fixture.pack(id, await commit());
      const uploaded = await fixture.upload(id, { runToken, bytes: made.bytes });
      if (uploaded.status !== 200) throw new Error(await uploaded.text());
      const { headSha: sent } = made;
      const judged = await fixture.deliveryServices.delivery.judge(owner, await fixture.runOf(id), { headSha: sent });
      if (judged.kind !== "accepted") throw new Error(JSON.stringify(judged));
      await fixture.step(id, "passed", { facts: judged.facts });
      return sent;
    },
    /** Resolves a conflict with the base branch, as a worker's merge commit. */
    async workMerge(id: string, files: Readonly<Record<string, string>>) {
      const spec = (await fixture.runOf(id)).spec.followUp;
      if (spec?.merge == null) throw new Error(`${id} merges nothing`);
      await git(local, "fetch", "--quiet", bare, `+${spec.branch}:merge-head`, `+${spec.merge}:merge-base`);
      return this.deliver(id, async () => {
        await git(local, "checkout", "--quiet", "--force", "-B", `maint/${id}`, "merge-head");
        await git(local, "merge", "--quiet", "--no-commit", "--strategy=ours", "merge-base");
        await git(local, "checkout", "--quiet", "merge-base", "--", ".");
        writeFiles(local, files);
        await git(local, "add", "--all");
        await git(local, "commit", "--quiet", "--message=Merge");
        return [`refs/heads/maint/${id}`, `^${spec.headSha}`, "^merge-base"];
      });
    },
    async commitToMain(files: Readonly<Record<string, string>>) {
      await git(local, "checkout", "--quiet", "--force", "main");
      writeFiles(local, files);
      await git(local, "add", "--all");
      await git(local, "commit", "--quiet", "--message=Base");
      await git(local, "push", "--quiet", bare, "main");
    },
    async fail(id: string) {
      const lease = { epoch: 1, attempt: 1, leaseUntil: fixture.now() + 45_000, workerId: "wrk_1" };
      await fixture.step(id, "leased", lease);
      await fixture.step(id, "accepted");
      await fixture.step(id, "failed", { result: { code: "verify_failed", message: "still red" } });
    },
  };
}
