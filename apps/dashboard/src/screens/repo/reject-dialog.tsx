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
  const isUpdate = isDependencyUpdate(candidate);
  return (
    <Dialog title="Reject this candidate?" onClose={onClose}>
      <p>
        <b>
          <bdi>{candidate.title}</bdi>
        </b>{" "}
        {isUpdate
          ? "and every other version of this package will not be proposed again."
          : "will not be proposed again."}
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
          {isUpdate ? (
            <button type="button" onClick={() => reject("major")}>
              Not this major version
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

function isDependencyUpdate({ source, category, gate }: Candidate): boolean {
  return source === "scan" && category === "deps" && gate.cmd.startsWith("triptych gate dep-at-least ");
}
