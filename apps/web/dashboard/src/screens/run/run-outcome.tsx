import type { Run } from "@triptych/contracts";
import { ExternalLink } from "../../components/stat-values.tsx";
import { StateLabel } from "../../components/state.tsx";
import { plainText } from "../../labels/plain-text.ts";
import { outcomeOf, warningLabel, waitsFor } from "../../labels/runs.ts";
import { sentenceCase } from "../../labels/format.ts";
import { panelText, t } from "../../i18n.ts";

export function RunOutcome({ run }: { readonly run: Run }) {
  const outcome = outcomeOf(run);
  return (
    <div className="outcome">
      {outcome === null ? null : (
        <p>
          <b>{outcome.sentence}</b>
          {outcome.next === "" ? null : <span className="next">{outcome.next}</span>}
          {run.pr === null ? null : (
            <>
              {" "}
              <ExternalLink href={run.pr.url}>{t("Pull request #{number}", { number: run.pr.number })}</ExternalLink>
              {run.pr.adopted ? <span className="soft"> {t("existing PR")}</span> : null}
            </>
          )}
        </p>
      )}
      {outcome !== null && run.result !== null && run.result.message !== "" ? (
        <p className="lines soft" dir="auto">
          {sentenceCase(plainText(run.result.message))}
        </p>
      ) : null}
      {run.state === "queued" ? (
        <p>
          {run.queue_position === null
            ? t("It {waits}.", { waits: waitsFor(run.queue_reason, run) })
            : t("It {waits}, position {position}.", {
                waits: waitsFor(run.queue_reason, run),
                position: run.queue_position,
              })}
          {run.queue_hint === null ? "" : ` ${panelText(run.queue_hint).replaceAll("`", "")}`}
        </p>
      ) : null}
      {run.warnings.map((code) => (
        <p key={code}>
          <StateLabel tone="attention">{warningLabel(code)}</StateLabel>
        </p>
      ))}
    </div>
  );
}
