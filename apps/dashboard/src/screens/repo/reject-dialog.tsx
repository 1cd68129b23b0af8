/** Rejects a candidate for ever, for its major version, or for a month; with an optional reason. */
import type { Candidate } from "@triptych/contracts";
import { useRef } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import type { RejectKind } from "./rejecting.ts";

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
    <Dialog title="Reject this candidate?" onClose={onClose}>
      <p>
        <b>
          <bdi>{candidate.title}</bdi>
        </b>{" "}
        {packages === 0
          ? "will not be proposed again."
          : packages === 1
            ? "and every other version of this package will not be proposed again."
            : "and every other version of these packages will not be proposed again."}
      </p>
      <form
        ref={form}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          reject("always");
        }}
      >
        <Field label="Reason (optional)" hint="You can undo this for six seconds.">
          {(inputProps) => <input {...inputProps} name="reason" maxLength={500} autoComplete="off" />}
        </Field>
        <footer className="row end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" onClick={() => reject("snooze")}>
            Snooze 30 days
          </button>
          {packages > 0 ? (
            <button type="button" onClick={() => reject("major")}>
              {packages === 1 ? "Not this major version" : "Not these major versions"}
            </button>
          ) : null}
          <button type="submit" className="danger">
            Reject
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
