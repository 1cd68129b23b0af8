/** Stores a worker's check result while the worker owns the check, and acknowledges it in any case. */
import type { WorkerFrame } from "@triptych/contracts";
import { finishCheck } from "../domain/repo-checks.ts";
import type { Connection } from "../worker-connections/connection-registry.ts";
import type { ChannelContext } from "../worker-connections/channel-context.ts";

type Checked = Extract<WorkerFrame, { readonly t: "checked" }>;

export async function takeChecked(context: ChannelContext, connection: Connection, frame: Checked): Promise<void> {
  const { store, secrets, timers } = context;
  const { owner } = connection;
  const running = await store.of(owner).checks.running();
  const own = running.find(({ id, workerId }) => id === frame.check_id && workerId === connection.worker.id);
  const repo = own === undefined ? null : await store.of(owner).repos.find(own.repoId);
  if (own !== undefined && repo !== null) {
    const redactor = await secrets.redactorOfRepo(owner, repo);
    const result = {
      setup: commandOf(frame.setup),
      verify: commandOf(frame.verify),
      isUnavailable: frame.unavailable,
      message: frame.message === null ? null : redactor.text(frame.message),
    };
    await store.change(owner, async ({ checks }) => {
      const same = await checks.find(own.repoId);
      // A change of its commands gives the check a new id.
      if (same?.id === own.id && same.state === "running" && same.workerId === own.workerId)
        await checks.save(finishCheck(same, result, timers.now()));
    });
    context.wake(owner);
  }
  connection.link.answer({ t: "checked_ack", check_id: frame.check_id });
}

function commandOf(end: Checked["setup"]) {
  return end === null ? null : { exitCode: end.exit_code, durationMs: end.duration_ms };
}
