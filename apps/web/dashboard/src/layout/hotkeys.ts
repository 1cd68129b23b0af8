/**
 * Keyboard shortcuts. Single letters are ignored in fields, in dialogs, with modifiers, or when switched off. A screen's shortcuts
 * override global ones. Each has an equivalent button or link.
 */
import { useEffect, useEffectEvent } from "react";
import { remembered } from "../local.ts";

export const letterHotkeys = remembered<"on" | "off">("letters", ["on", "off"], "on");

export type Hotkeys = Readonly<Record<string, () => void>>;

const layers: Hotkeys[] = [];

/** Registers these keys while the component is mounted. */
export function useKeys(keys: Hotkeys): void {
  const latest = useEffectEvent((key: string) => keys[key]?.());
  const names = Object.keys(keys).join(" ");
  useEffect(() => {
    const layer: Record<string, () => void> = {};
    for (const name of names.split(" ")) layer[name] = () => latest(name);
    layers.unshift(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [names]);
}

const SEQUENCE_MS = 1_000;

/** Listens to the keys of the whole tab; returns the unsubscribe function. `g` waits for a second letter. */
export function bindHotkeys(go: (letter: string) => boolean): () => void {
  let startedAt = 0;

  function onKey(event: KeyboardEvent): void {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      target?.closest("form")?.requestSubmit();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (isField(target)) {
      if (event.key === "Escape") target?.blur();
      return;
    }
    const isLetter = event.key.length === 1;
    if (isLetter && letterHotkeys.get() === "off") return;
    const isSecond = event.timeStamp - startedAt < SEQUENCE_MS;
    startedAt = event.key === "g" && !isSecond ? event.timeStamp : 0;
    if (startedAt > 0) return;
    if (isSecond && go(event.key)) {
      event.preventDefault();
      return;
    }
    const layer = layers.find((candidate) => event.key in candidate);
    if (layer === undefined) return;
    event.preventDefault();
    layer[event.key]();
  }

  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

function isField(target: HTMLElement | null): boolean {
  if (target === null) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}

/** Moves to the next or previous item of the list: elements with `data-item`. */
export function moveItem(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const index = items.findIndex((item) => item === document.activeElement || item.contains(document.activeElement));
  const next = index < 0 ? (step > 0 ? 0 : items.length - 1) : index + step;
  items[Math.min(items.length - 1, Math.max(0, next))]?.focus();
}

export function focusFilter(): void {
  document.querySelector<HTMLElement>("main [data-filter]")?.focus();
}
