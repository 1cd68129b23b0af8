import type { Run } from "@triptych/contracts";
import { attentionLabel, STATE_LABELS, statusColor, type Tone } from "../labels/runs.ts";
import { sentenceCase } from "../labels/format.ts";

const SHAPES: Readonly<Record<Tone, React.ReactNode>> = {
  active: <circle cx="6" cy="6" r="4.5" />,
  attention: <path d="M6 1.2 11.3 10.5H.7Z" />,
  success: <path className="stroke" d="M1.5 6.5 4.7 9.7 10.5 2.8" />,
  failure: <path className="stroke" d="M2 2l8 8M10 2l-8 8" />,
  rest: <circle className="stroke" cx="6" cy="6" r="4" />,
};

export function StateLabel({ tone, children }: { readonly tone: Tone; readonly children: React.ReactNode }) {
  return (
    <span className={`state ${tone}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {SHAPES[tone]}
      </svg>
      {typeof children === "string" ? sentenceCase(children) : children}
    </span>
  );
}

/** Keyed by state, so that a change fades in once. */
export function RunState({ run }: { readonly run: Pick<Run, "state" | "phase"> }) {
  const label = run.phase === "attention" ? attentionLabel(run) : STATE_LABELS[run.state];
  return (
    <span className="changed" key={run.state}>
      <StateLabel tone={statusColor(run)}>{label}</StateLabel>
    </span>
  );
}
