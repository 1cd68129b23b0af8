import { Link } from "@tanstack/react-router";
import type { Candidate } from "@triptych/contracts";
import { Ago } from "../../components/stat-values.tsx";
import { StateLabel } from "../../components/state.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { exactDuration, percent } from "../../labels/format.ts";
import { plainText } from "../../labels/plain-text.ts";
import type { Tone } from "../../labels/runs.ts";
import { CANDIDATE_STATE_LABELS, CATEGORY_LABELS } from "../../labels/repos.ts";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

const EFFORTS = { s: t("small effort"), m: t("medium effort"), l: t("large effort") } as const;
const RISKS = { low: t("low risk"), medium: t("medium risk"), high: t("high risk") } as const;
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
          <span>{CATEGORY_LABELS[category]}</span>
          <span>{t("score {score}", { score: percent(score) })}</span>
          <span>{EFFORTS[effort]}</span>
          <span>{RISKS[risk]}</span>
          <span>{t("found by {source}", { source: candidate.source })}</span>
          <Ago at={candidate.created_at} />
        </p>
        {mendable ? <p>{t("Can be fixed without a model.")}</p> : null}
        {stale ? (
          <p>
            <StateLabel tone="attention">
              {t("Its evidence no longer exists, and its gate was not run again.")}
            </StateLabel>
          </p>
        ) : null}
        {candidate.attempts > 0 ? (
          <p className="soft">
            {plural(candidate.attempts, "Tried {count} time without success.", "Tried {count} times without success.")}
          </p>
        ) : null}
        {candidate.reject === null ? null : (
          <p className="soft">
            {rich(candidate.reject.until === null ? t("Rejected {time}") : t("Snoozed {time} until {end}"), {
              time: <Ago at={candidate.reject.at} />,
              end: <Ago at={candidate.reject.until} />,
            })}
            {candidate.reject.reason === null ? "" : `: ${candidate.reject.reason}`}
          </p>
        )}
        {candidate.run_id === null ? null : (
          <p>
            <Link to="/runs/$id" params={{ id: candidate.run_id }}>
              {t("Run")}
            </Link>
          </p>
        )}
        {isOpen ? (
          <div className="actions">
            <button type="button" className="primary" disabled={isBusy} title={`${t("verb|Run")} (r)`} onClick={onRun}>
              {isBusy ? t("Starting…") : t("verb|Run")}
            </button>
            <button type="button" title={`${t("Reject")} (x)`} onClick={onReject}>
              {t("Reject")}
            </button>
          </div>
        ) : null}
        {children}
      </header>
      <section aria-labelledby="why">
        <h3 id="why">{t("Why")}</h3>
        <TextBlock text={rationale} />
        <TextBlock text={candidate.focus === rationale ? "" : candidate.focus} />
      </section>
      <section aria-labelledby="evidence" className="evidence">
        <h3 id="evidence" tabIndex={-1}>
          {t("Evidence")}
        </h3>
        {evidence.length === 0 ? <p className="soft">{t("Only the gate.")}</p> : null}
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
        <h3 id="gate">{t("Gate")}</h3>
        <p>
          <code className="lines">{plainText(gate.cmd)}</code>
        </p>
        <p>
          <StateLabel tone={gate_proof.exit_code === 0 ? "success" : "failure"}>
            {gate_proof.exit_code === 0 ? t("passed") : t("failed")}
          </StateLabel>{" "}
          <span className="soft">
            {t("exit code {code}, {time}, before any change", {
              code: gate_proof.exit_code,
              time: exactDuration(gate_proof.duration_ms),
            })}
          </span>
        </p>
        {gate_proof.output === "" ? null : <TextBlock text={gate_proof.output} lines={16} isTail isCode />}
      </section>
    </article>
  );
}
