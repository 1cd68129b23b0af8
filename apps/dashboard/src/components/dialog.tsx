/** A modal question: the browser's own `<dialog>`, which keeps the focus, closes on Escape and gives the focus back. */
import { useEffect, useId, useRef } from "react";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Escape and the cross do nothing: only what is asked for ends it. */
  readonly isBinding?: boolean;
  readonly isWide?: boolean;
  readonly children: React.ReactNode;
}

/** What is to be typed, or else what changes nothing: not the cross, which is first in order. */
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
          <button type="button" className="bare" title="Close" onClick={onClose}>
            <Icon name="cross" />
            <span className="visually-hidden">Close</span>
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
