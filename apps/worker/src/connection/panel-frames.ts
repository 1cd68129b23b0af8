/** Handles the panel's messages: one case for each type of frame. */
import type { PanelFrame } from "@triptych/contracts";
import { admitRun } from "./admit-run.ts";
import { answerModels, answerProbe } from "./answers.ts";
import { onTokenRotated } from "./license-key.ts";
import type { WorkerContext } from "./worker-context.ts";

export function handlePanelFrame(frame: PanelFrame, context: WorkerContext): void {
  const { options, connection, sessions, checks, update } = context;
  const { key, agents, tools } = options;
  if ("cid" in frame && frame.t !== "token_rotated") context.send({ t: "ack", cid: frame.cid });
  switch (frame.t) {
    case "welcome":
      return welcome(frame, context);
    case "assign":
      void admitRun(frame, context);
      return;
    case "check":
      return checks.start(frame);
    case "checked_ack":
      return checks.acknowledged(frame.check_id);
    case "state_ack":
      return sessions.acknowledgeState(frame);
    case "events_ack":
      return void sessions.dispatch(frame, { kind: "events_acked", upto: frame.upto });
    case "cancel":
      return void sessions.dispatch(frame, { kind: "cancel", graceS: frame.grace_s });
    case "enable":
      return update({ kind: frame.enabled ? "enabled" : "disabled" });
    case "drain":
      return update({ kind: "draining" });
    case "probe":
      void answerProbe(frame, agents, tools).then(connection.send);
      return;
    case "models":
      void answerModels(frame, agents).then(connection.send);
      return;
    case "token_rotated":
      void onTokenRotated(frame, { key, connection, log: tools.log });
  }
}

function welcome(frame: Extract<PanelFrame, { readonly t: "welcome" }>, context: WorkerContext): void {
  const { options, sessions, checks } = context;
  const { log, panel } = options.tools;
  options.key.confirm(frame.generation);
  options.onNamed(frame.worker_id);
  log(`connected to ${panel} as ${frame.worker_id}`);
  checks.resend();
  // The panel may still expect runs of an earlier process from this worker.
  for (const { run_id, epoch } of sessions.resume(frame)) {
    log(`run ${run_id} was stopped with the previous process; returning it to the panel`);
    context.send({ t: "refuse", run_id, epoch, reason: "stopping" });
    void sessions.remove({ run_id, epoch });
  }
  context.update({ kind: "welcomed", isEnabled: frame.enabled });
}
