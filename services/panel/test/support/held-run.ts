/** A run that a worker holds, and what becomes of it, without a worker. */
import { moveRun, type Step } from "../../src/domain/create-run.ts";
import type { RunRecord } from "../../src/domain/records.ts";
import type { RunEvent } from "../../src/domain/run-states.ts";
import type { openScene } from "./create-fixture.ts";

type Scene = Awaited<ReturnType<typeof openScene>>;

const REPO = { url: "https://me:correct-horse%2Fstaple@git.example.org/acme/sum.git", provider: "git" };

export async function heldRun(scene: Scene, focus = "Tidy up.") {
  const { access_token: token, account_id: owner } = scene.pro;
  const made = (await scene.ask("POST", "/api/repos", { token, body: REPO })).json();
  const repoId = made.id ?? made.repo_id;
  const { id } = (await scene.ask("POST", `/api/repos/${repoId}/run`, { token, body: { focus } })).json();
  const move = (event: RunEvent, step: Partial<Step> = {}): Promise<RunRecord> =>
    scene.store.change(owner, async (books) => {
      const run = await books.runs.find(id);
      if (run === null) throw new Error("the run is gone");
      return moveRun(books, run, event, { at: scene.now(), ...step });
    });
  await move("leased", { epoch: 1, attempt: 1, workerId: "wrk_1" });
  return { id: String(id), owner, token, path: `/api/runs/${id}/bus`, move };
}
