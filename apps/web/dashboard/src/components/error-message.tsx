import { ProblemError } from "@triptych/client";
import { useState } from "react";
import { useNow } from "./watch.ts";
import { CopyButton } from "./copy.tsx";
import { Ago } from "./stat-values.tsx";
import { panelText, t } from "../i18n.ts";
import { rich } from "./rich.tsx";

export interface ErrorText {
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
}

export function errorMessageOf(error: unknown): ErrorText {
  if (error instanceof ProblemError) {
    const { title, detail, request_id } = error.body;
    const issues = error.errors.map(({ path, message }) => `${path}: ${panelText(message)}`).join("\n");
    const details = [panelText(detail ?? (title === undefined ? error.message : "")), issues]
      .filter((text) => text !== "")
      .join("\n");
    return {
      title: title === undefined ? t("Request failed") : panelText(title),
      detail: details,
      requestId: request_id ?? null,
    };
  }
  return {
    title: t("Cannot reach the panel"),
    detail: t("Check that the panel is running and reachable from this machine. Retrying every few seconds."),
    requestId: null,
  };
}

interface ErrorMessageProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorMessage({ error, onRetry }: ErrorMessageProps) {
  const { title, detail, requestId } = errorMessageOf(error);
  return (
    <div role="alert" className="trouble">
      <p>
        <strong>{title}</strong>
      </p>
      {detail === "" ? null : <p className="lines">{detail}</p>}
      {error instanceof ProblemError && error.retryAfter !== null ? <RetryTime seconds={error.retryAfter} /> : null}
      <p className="row">
        {onRetry === undefined ? null : (
          <button type="button" onClick={onRetry}>
            {t("Try again")}
          </button>
        )}
        {requestId === null ? null : (
          <span className="soft">
            {rich(t("Request <code>{requestId}</code>"), { requestId })}{" "}
            <CopyButton text={requestId} name={t("request ID")} isBare />
          </span>
        )}
      </p>
    </div>
  );
}

/** When to retry: after a quota's period, or after a rate limit's window. */
function RetryTime({ seconds }: { readonly seconds: number }) {
  const [at] = useState(() => Date.now() + seconds * 1_000);
  const isOver = useNow() >= at;
  return (
    <p>
      {isOver
        ? t("You can try again now.")
        : rich(t("You can try again {time}."), { time: <Ago at={new Date(at).toISOString()} /> })}
    </p>
  );
}
