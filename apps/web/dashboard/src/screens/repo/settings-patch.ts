/** Converts a repo to field values, and typed values to a patch of the changes. Pure. */
import { isRecord } from "@triptych/util";
import type { SettingField } from "./setting-field.ts";

export function valueAt(thing: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), thing);
}

export function textOf(field: SettingField, value: unknown): string {
  if (value === null || value === undefined) return "";
  switch (field.kind) {
    case "lines":
      return Array.isArray(value) ? value.join("\n") : "";
    case "set":
      // Uses the order of the boxes, because another order is the same set.
      return Array.isArray(value) ? inOrder(field.of, value).join("\n") : "";
    case "euros":
      return typeof value === "number" ? String(value / 1_000_000) : "";
    case "members":
      return JSON.stringify(value);
    case "switch":
      return value === true ? "on" : "";
    case "text":
    case "command":
    case "long":
    case "count":
    case "choice":
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}

/** The value to send. An invalid number stays as typed, so that the panel reports the error. */
export function readText(field: SettingField, text: string): unknown {
  const isEmpty = text.trim() === "";
  switch (field.kind) {
    case "switch":
      return text === "on";
    case "lines":
    case "set":
      return text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
    case "members":
      return isEmpty ? [] : JSON.parse(text);
    case "count":
      return isEmpty ? null : numberOr(text);
    case "euros":
      return isEmpty ? null : micro(text);
    case "text":
      return text;
    case "command":
      return isEmpty ? null : text;
    case "long":
    case "choice":
      return text;
  }
}

function inOrder(of: readonly (readonly [string, string])[], chosen: readonly unknown[]): readonly string[] {
  return of.map(([value]) => value).filter((value) => chosen.includes(value));
}

function numberOr(text: string): number | string {
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

function micro(text: string): number | string {
  const value = numberOr(text.replace(",", "."));
  return typeof value === "number" ? Math.round(value * 1_000_000) : value;
}

export interface Difference {
  readonly field: SettingField;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields where `typed` differs from `seen`. */
export function differences(
  fields: readonly SettingField[],
  seen: unknown,
  typed: (field: SettingField) => string,
): readonly Difference[] {
  return fields.flatMap((field) => {
    const before = valueAt(seen, field.path);
    const text = typed(field);
    // Equal text means unchanged, whatever its wire form.
    if (text === textOf(field, before)) return [];
    return [{ field, before, after: readText(field, text) }];
  });
}

export function patchOf(changes: readonly Difference[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const { field, after } of changes) {
    const names = field.path.split(".");
    const last = names.pop() ?? field.path;
    let target = patch;
    for (const name of names) {
      const inner = target[name];
      const next = isRecord(inner) ? inner : {};
      target[name] = next;
      target = next;
    }
    target[last] = after;
  }
  return patch;
}

export function pointerOf(path: string): string {
  return `/${path.replaceAll(".", "/")}`;
}
