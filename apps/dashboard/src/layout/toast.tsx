/** A short word at the foot of the screen, with a way back where there is one: it stays for some seconds, and while it is pointed at. */
import { useEffect, useState } from "react";
import { createStore, useStore } from "../store.ts";

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly undo?: () => void;
}

export const UNDO_MS = 6_000;
const notices = createStore<readonly Notice[]>([]);
let count = 0;

/** Answers what takes it away again. */
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
    // What can be undone is taken away by who does it, once it is done.
    if (isHovered || undo !== undefined) return;
    const timer = setTimeout(() => notices.set(notices.get().filter((notice) => notice.id !== id)), UNDO_MS);
    return () => clearTimeout(timer);
  }, [id, isHovered, undo]);
  return (
    <p className="notice" onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
      {text}
      {undo === undefined ? null : (
        <button type="button" onClick={undo}>
          Undo
        </button>
      )}
    </p>
  );
}
