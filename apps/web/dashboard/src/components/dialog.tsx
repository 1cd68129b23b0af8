/** A modal dialog: the native `<dialog>`, which traps focus, closes on Escape and restores focus. */
import { useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";
import { t } from "../i18n.ts";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Ignores Escape and has no close button, so that only an action closes it. */
  readonly isBinding?: boolean;
  readonly isWide?: boolean;
  readonly children: React.ReactNode;
}

/** Initial focus: an input, or the harmless button; not the close button, which is first in tab order. */
const FIRST = "form input:not([type=hidden]), form textarea, footer button";

export function Dialog({ title, onClose, isBinding = false, isWide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) {
      element.showModal();
      element.querySelector<HTMLElement>(FIRST)?.focus();
    }
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      className={isWide ? "wide" : undefined}
      onCancel={(event) => {
        event.preventDefault();
        if (!isBinding) onClose();
      }}
    >
      <header className="row">
        <h2 id={titleId}>{title}</h2>
        {isBinding ? null : (
          <button type="button" className="bare" title={t("Close")} onClick={onClose}>
            <Icon name="cross" />
            <span className="visually-hidden">{t("Close")}</span>
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
