/** A copy button. The text need not be visible. */
import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";
import { t } from "../i18n.ts";

interface CopyProps {
  /** Fetches the text on click. */
  readonly text: string | (() => Promise<string>);
  readonly name: string;
  /** Icon only; the name is for screen readers. */
  readonly isBare?: boolean;
}

const FEEDBACK_MS = 1_500;
const COPIED = t("Copied");

export function CopyButton({ text, name, isBare = false }: CopyProps) {
  const [feedback, say] = useState("");
  useEffect(() => {
    if (feedback === "") return;
    const timer = setTimeout(() => say(""), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [feedback]);
  const copy = async () => {
    const isDone = await copyText(typeof text === "string" ? text : await text());
    say(isDone ? COPIED : t("Copy failed. Select the text and copy it."));
  };
  return (
    <>
      <button
        type="button"
        className={isBare ? "bare" : undefined}
        title={t("Copy {name}", { name })}
        onClick={() => void copy().catch(() => say(t("Copy failed")))}
      >
        <Icon name={feedback === COPIED ? "tick" : "copy"} />
        {isBare ? (
          <span className="visually-hidden">{t("Copy {name}", { name })}</span>
        ) : (
          <>{feedback === COPIED ? COPIED : t("Copy {name}", { name })}</>
        )}
      </button>
      <span role="status" className="visually-hidden">
        {feedback}
      </span>
    </>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyOldWay(text);
  }
}

/** The only way to copy without https. */
function copyOldWay(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}
