/** A toast, with an undo button where possible: disappears after some seconds, but not while hovered. */
import { useEffect, useState } from "react";
import { createStore } from "../store.ts";
import { useStore } from "../components/watch.ts";
import { t } from "../i18n.ts";

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => void;
}

export const UNDO_MS = 6_000;
const notices = createStore<readonly Notice[]>([]);
let count = 0;

export function notify(text: string, undo?: () => void): () => void {
  const id = ++count;
  notices.set([...notices.get().slice(-2), { id, text, ...(undo !== undefined && { undo }) }]);
  return () => notices.set(notices.get().filter((notice) => notice.id !== id));
}

export function Notices() {
  const visible = useStore(notices);
  return (
    <div className="notices" role="status">
      {visible.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function NoticeItem({ notice: { id, text, undo } }: { readonly notice: Notice }) {
  const [isHovered, hold] = useState(false);
  useEffect(() => {
    // The owner of the undoable action dismisses it when the action is sent.
    if (isHovered || undo !== undefined) return;
    const timer = setTimeout(() => notices.set(notices.get().filter((notice) => notice.id !== id)), UNDO_MS);
    return () => clearTimeout(timer);
  }, [id, isHovered, undo]);
  return (
    <p className="notice" onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
      {text}
      {undo === undefined ? null : (
        <button type="button" onClick={undo}>
          {t("Undo")}
        </button>
      )}
    </p>
  );
}
