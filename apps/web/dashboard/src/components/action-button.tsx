/** An action button: shows progress and errors, and sends one idempotency key per click. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { clickKey } from "../api/call.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorMessage } from "./error-message.tsx";
import { t } from "../i18n.ts";

interface ActProps<T> {
  readonly label: string;
  readonly busy?: string;
  /** Receives the key of this click. */
  readonly act: (key: string) => Promise<T>;
  readonly onDone?: (done: T) => void;
  readonly isPrimary?: boolean;
  readonly isDanger?: boolean;
  /** Why the button is disabled; shown, and announced to screen readers. */
  readonly refusal?: string | null;
  /** The same, as a tooltip only, because a row has no space for text. */
  readonly silentRefusal?: string | null;
  /** Confirmation before the action; its text names the affected object. */
  readonly ask?: { readonly title: string; readonly text: React.ReactNode; readonly yes: string };
}

export function ActionButton<T>(props: ActProps<T>) {
  const {
    label,
    busy = `${label}…`,
    act,
    onDone,
    isPrimary,
    isDanger,
    refusal = null,
    silentRefusal = null,
    ask,
  } = props;
  const [isAsking, setAsking] = useState(false);
  const doing = useMutation({
    mutationFn: act,
    onSuccess: (done) => {
      setAsking(false);
      onDone?.(done);
    },
  });
  const start = () => doing.mutate(clickKey());
  const kind = isDanger === true ? "danger" : isPrimary === true ? "primary" : undefined;
  return (
    <span className="act">
      <button
        type="button"
        className={kind}
        disabled={doing.isPending || refusal !== null || silentRefusal !== null}
        aria-busy={doing.isPending}
        title={refusal ?? silentRefusal ?? undefined}
        onClick={() => (ask === undefined ? start() : setAsking(true))}
      >
        {doing.isPending && !isAsking ? busy : label}
      </button>
      {refusal === null ? null : <span className="refusal soft">{refusal}</span>}
      {doing.error !== null && !isAsking ? <ErrorMessage error={doing.error} /> : null}
      {isAsking && ask !== undefined ? (
        <Dialog title={ask.title} onClose={() => setAsking(false)}>
          <p>{ask.text}</p>
          {doing.error === null ? null : <ErrorMessage error={doing.error} />}
          <footer className="row end">
            <button type="button" onClick={() => setAsking(false)}>
              {t("Cancel")}
            </button>
            <button
              type="button"
              className={isDanger === true ? "danger" : "primary"}
              disabled={doing.isPending}
              onClick={start}
            >
              {doing.isPending ? busy : ask.yes}
            </button>
          </footer>
        </Dialog>
      ) : null}
    </span>
  );
}
