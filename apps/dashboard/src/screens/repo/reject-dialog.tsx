/** Why a candidate is dismissed, if there is a reason worth keeping. */
import type { Candidate } from "@triptych/contracts";
import { Dialog } from "../../pieces/dialog.tsx";
import { Field } from "../../pieces/field.tsx";
import { typed } from "../../pieces/form-text.ts";

interface RejectDialogProps {
  readonly candidate: Candidate;
  readonly onReject: (reason: string) => void;
  readonly onClose: () => void;
}

export function RejectDialog({ candidate, onReject, onClose }: RejectDialogProps) {
  return (
    <Dialog title="Reject this candidate?" onClose={onClose}>
      <p>
        <b>
          <bdi>{candidate.title}</bdi>
        </b>{" "}
        is not proposed again.
      </p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onReject(typed(event.currentTarget, "reason").trim());
        }}
      >
        <Field label="Reason" hint="May be left out. Enter rejects; for six seconds it can be undone.">
          {(given) => <input {...given} name="reason" maxLength={500} autoComplete="off" />}
        </Field>
        <footer className="row end">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" className="danger">
            Reject
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
