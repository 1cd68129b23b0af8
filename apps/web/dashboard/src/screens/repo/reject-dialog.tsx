/** Rejects a candidate forever, for its major version, or for a month; with an optional reason. */
import type { Candidate } from "@triptych/contracts";
import { useRef } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import type { RejectKind } from "./rejecting.ts";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

interface RejectDialogProps {
  readonly candidate: Candidate;
  readonly onReject: (kind: RejectKind, reason: string) => void;
  readonly onClose: () => void;
}

export function RejectDialog({ candidate, onReject, onClose }: RejectDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const reject = (kind: RejectKind) => {
    if (form.current !== null) onReject(kind, typed(form.current, "reason").trim());
  };
  const packages = updatedPackages(candidate);
  return (
    <Dialog title={t("Reject this candidate?")} onClose={onClose}>
      <p>
        {rich(
          packages === 0
            ? t("<b>{title}</b> will not be proposed again.")
            : plural(
                packages,
                "<b>{title}</b> and every other version of this package will not be proposed again.",
                "<b>{title}</b> and every other version of these packages will not be proposed again.",
              ),
          { title: <bdi>{candidate.title}</bdi> },
        )}
      </p>
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          reject("always");
        }}
      >
        <Field label={t("Reason (optional)")} hint={t("You can undo this for six seconds.")}>
          {(inputProps) => <input {...inputProps} name="reason" maxLength={500} autoComplete="off" />}
        </Field>
        <footer className="row end">
          <button type="button" onClick={onClose}>
            {t("Cancel")}
          </button>
          <button type="button" onClick={() => reject("snooze")}>
            {t("Snooze 30 days")}
          </button>
          {packages > 0 ? (
            <button type="button" onClick={() => reject("major")}>
              {plural(packages, "Not this major version", "Not these major versions")}
            </button>
          ) : null}
          <button type="submit" className="danger">
            {t("Reject")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const UPDATE_GATE = "triptych gate dep-at-least ";

/** How many packages a dependency update names; 0 for other candidates. */
function updatedPackages({ source, category, gate }: Candidate): number {
  if (source !== "scan" || category !== "deps" || !gate.cmd.startsWith(UPDATE_GATE)) return 0;
  const [pairs = ""] = gate.cmd.slice(UPDATE_GATE.length).split(" --");
  return Math.floor(pairs.split(" ").length / 2);
}
