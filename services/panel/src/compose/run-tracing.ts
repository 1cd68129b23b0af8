/** One span per run, from creation to end, with states as events. The worker continues the trace. */
import type { TraceHeaders, TraceSpan, Tracing } from "@triptych/tracing";
import type { PanelStore } from "../domain/repositories.ts";
import { phaseOf } from "../domain/run-states.ts";

/** The headers of a run's span; null without tracing. */
export type TraceOf = (runId: string) => TraceHeaders | null;

/** Runs that this process has seen and that have not ended; the oldest are forgotten. */
const SPANS_MAX = 10_000;

export function traceRuns({ onMove }: Pick<PanelStore, "onMove">, tracing: Tracing | null): TraceOf {
  if (tracing === null) return () => null;
  const spans = new Map<string, TraceSpan>();
  onMove(({ from, run }) => {
    let span = spans.get(run.id);
    // A run that rested as success may still get a pull request.
    if (from !== null && phaseOf(from, run) !== "active") return;
    if (span === undefined) {
      // A run of another process, or from before a restart, has no parent here.
      const parent = from === null ? tracing.current() : null;
      const attributes = { "triptych.run.id": run.id, "triptych.run.kind": run.kind };
      span = tracing.start({ name: `run ${run.kind}`, kind: "internal", parent, attributes });
      spans.set(run.id, span);
      const [oldest] = spans.keys();
      if (spans.size > SPANS_MAX && oldest !== undefined) spans.delete(oldest);
    }
    span.event(run.state);
    const phase = phaseOf(run.state, run);
    if (phase === "active") return;
    span.set({ "triptych.run.state": run.state });
    span.end(phase === "failure" ? run.state : undefined);
    spans.delete(run.id);
  });
  return (runId) => spans.get(runId)?.headers ?? null;
}
