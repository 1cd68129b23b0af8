/** Continues the trace of a run that the panel began. */
import type { Tracing } from "@triptych/tracing";
import type { Work } from "./run-session.ts";
import type { Assign } from "./wire.ts";

export function traceWork(tracing: Tracing | null, { traceparent, run_id, kind }: Assign, work: Work): Work {
  if (tracing === null) return work;
  return async (run) => {
    const span = tracing.start({
      name: `worker run ${kind}`,
      kind: "consumer",
      parent: traceparent === undefined ? null : { traceparent },
      attributes: { "triptych.run.id": run_id, "triptych.run.kind": kind },
    });
    const { folder, stream, signal } = run;
    const enter: typeof run.enter = (state, data) => {
      span.event(state);
      run.enter(state, data);
    };
    try {
      const report = await span.run(() => work({ folder, stream, signal, enter }));
      span.set({ "triptych.run.state": report?.state ?? "superseded" });
      span.end(report?.state === "failed" ? "failed" : undefined);
      return report;
    } catch (error) {
      span.end(error instanceof Error ? error.name : "Error");
      throw error;
    }
  };
}
