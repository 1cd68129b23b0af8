/** The tab's title, with a mark when a watched run ends in the background. */
import { useEffect } from "react";
import { createStore } from "../store.ts";
import markUrl from "./mark.svg";
import doneUrl from "./mark-done.svg";

const PRODUCT = "Triptych";
let current = PRODUCT;
/** The message about a run that ended unseen; empty when all is seen. */
const mark = createStore("");

export function useTitle(title: string): void {
  useEffect(() => {
    current = `${title} · ${PRODUCT}`;
    show();
  }, [title]);
}

/** Focusing the tab clears the mark. */
export function markTitle(label: string): void {
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  mark.set(label);
}

mark.watch(show);
for (const event of ["focus", "visibilitychange"] as const)
  addEventListener(event, () => document.visibilityState === "visible" && mark.set(""), true);

function show(): void {
  const label = mark.get();
  // A run's title already contains its state.
  const marked = current.startsWith(label) ? `● ${current}` : `● ${label}: ${current}`;
  document.title = label === "" ? current : marked;
  document.querySelector("link[rel=icon]")?.setAttribute("href", label === "" ? markUrl : doneUrl);
}
