import { Link } from "@tanstack/react-router";
import type { Candidate } from "@triptych/contracts";
import { Ago } from "../../components/stat-values.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { exactDuration, percent } from "../../labels/format.ts";
import { plainText } from "../../labels/plain-text.ts";
import type { Tone } from "../../labels/runs.ts";
import { CANDIDATE_STATE_LABELS } from "../../labels/repos.ts";

const EFFORTS = { s: "small", m: "medium", l: "large" } as const;
const TONES: Readonly<Record<Candidate["state"], Tone>> = {
  proposed: "attention",
  selected: "active",
  rejected: "rest",
  done: "success",
};

interface CandidateDetailProps {
  readonly candidate: Candidate;
  readonly isBusy: boolean;
  readonly onRun: () => void;
  readonly onReject: () => void;
  readonly children: React.ReactNode;
}

export function CandidateDetail({ candidate, isBusy, onRun, onReject, children }: CandidateDetailProps) {
  const { title, state, category, score, effort, risk, mendable, stale, rationale, evidence, gate, gate_proof } =
    candidate;
  const isOpen = state === "proposed";
  return (
    <article aria-labelledby="candidate" className="candidate">
      <header>
        <h2 id="candidate">
          <bdi>{plainText(title)}</bdi>
        </h2>
        <p className="row soft">
          <StateLabel tone={TONES[state]}>{CANDIDATE_STATE_LABELS[state]}</StateLabel>
          <span>{category}</span>
          <span>score {percent(score)}</span>
          <span>{EFFORTS[effort]} effort</span>
          <span>{risk} risk</span>
          <span>found by {candidate.source}</span>
          <Ago at={candidate.created_at} />
        </p>
        {mendable ? <p>Can be fixed without a model.</p> : null}
        {stale ? (
          <p>
            <StateLabel tone="attention">Its evidence no longer exists, and its gate was not run again.</StateLabel>
          </p>
        ) : null}
        {candidate.attempts > 0 ? <p className="soft">Tried {candidate.attempts} times without success.</p> : null}
        {candidate.reject === null ? null : (
          <p className="soft">
            {candidate.reject.until === null ? "Rejected" : "Snoozed"} <Ago at={candidate.reject.at} />
            {candidate.reject.until === null ? null : (
              <>
                {" "}
                until <Ago at={candidate.reject.until} />
              </>
            )}
            {candidate.reject.reason === null ? "" : `: ${candidate.reject.reason}`}
          </p>
        )}
        {candidate.run_id === null ? null : (
          <p>
            <Link to="/runs/$id" params={{ id: candidate.run_id }}>
              Run
            </Link>
          </p>
        )}
        {isOpen ? (
          <div className="actions">
            <button type="button" className="primary" disabled={isBusy} title="Run (r)" onClick={onRun}>
              {isBusy ? "Starting…" : "Run"}
            </button>
            <button type="button" title="Reject (x)" onClick={onReject}>
              Reject
            </button>
          </div>
        ) : null}
        {children}
      </header>
      <section aria-labelledby="why">
        <h3 id="why">Why</h3>
        <TextBlock text={rationale} />
        <TextBlock text={candidate.focus === rationale ? "" : candidate.focus} />
      </section>
      <section aria-labelledby="evidence" className="evidence">
        <h3 id="evidence" tabIndex={-1}>
          Evidence
        </h3>
        {evidence.length === 0 ? <p className="soft">Only the gate.</p> : null}
        {evidence.map(({ path, line, excerpt }) => (
          <figure key={`${path}:${line ?? ""}`}>
            <figcaption>
              <code>
                <bdi>{plainText(path)}</bdi>
                {line === null ? "" : `:${line}`}
              </code>
            </figcaption>
            {excerpt === "" ? null : <TextBlock text={excerpt} lines={10} isCode />}
          </figure>
        ))}
      </section>
      <section aria-labelledby="gate">
        <h3 id="gate">Gate</h3>
        <p>
          <code className="lines">{plainText(gate.cmd)}</code>
        </p>
        <p>
          <StateLabel tone={gate_proof.exit_code === 0 ? "success" : "failure"}>
            {gate_proof.exit_code === 0 ? "passed" : "failed"}
          </StateLabel>{" "}
          <span className="soft">
            exit code {gate_proof.exit_code}, {exactDuration(gate_proof.duration_ms)}, before any change
          </span>
        </p>
        {gate_proof.output === "" ? null : <TextBlock text={gate_proof.output} lines={16} isTail isCode />}
      </section>
    </article>
  );
}
