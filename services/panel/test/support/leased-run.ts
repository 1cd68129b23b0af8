/** A leased run and its events, without a worker. */
import { transitionRun, type Step } from "../../src/domain/create-run.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import type { createFixture } from "./create-fixture.ts";

type Fixture = Awaited<ReturnType<typeof createFixture>>;

const REPO = { url: "https://me:correct-horse%2Fstaple@git.example.org/acme/sum.git", provider: "git" };

export async function createLeasedRun(fixture: Fixture, focus = "Tidy up.") {
  const { access_token: token, account_id: owner } = fixture.pro;
  const made = (await fixture.ask("POST", "/api/repos", { token, body: REPO })).json();
  const repoId = made.id ?? made.repo_id;
  const { id } = (await fixture.ask("POST", `/api/repos/${repoId}/run`, { token, body: { focus } })).json();
  const move = (event: RunEvent, step: Partial<Step> = {}): Promise<RunRecord> =>
    fixture.store.change(owner, async (repositories) => {
      const run = await repositories.runs.find(id);
      if (run === null) throw new Error("the run is gone");
      return transitionRun(repositories, run, event, { at: fixture.now(), ...step });
    });
  await move("leased", { epoch: 1, attempt: 1, workerId: "wrk_1" });
  return { id: String(id), owner, token, path: `/api/runs/${id}/bus`, move };
}
