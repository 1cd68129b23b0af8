/** Labeled texts: JSONL of `{text | state | messages, route | label}`. A null label means that none of the routes applies. */
import { createHash } from "node:crypto";
import { canonicalJson, DECISION_BODY_BYTES, ROUTE_LABEL_MAX, STATE_MAX } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { readLines } from "../deciding/read-lines.ts";
import type { Judged } from "../deciding/wires.ts";

export interface LabeledRow {
  readonly judged: Judged;
  readonly label: string | null;
}

export interface LabeledRows {
  readonly rows: readonly LabeledRow[];
  /** Hex SHA-256 over texts and labels, independent of the order of members. */
  readonly sha256: string;
  readonly issues: readonly { readonly line: number; readonly message: string }[];
}

export async function readLabeledRows(file: string): Promise<LabeledRows> {
  const rows: LabeledRow[] = [];
  const issues: { line: number; message: string }[] = [];
  const hash = createHash("sha256");
  for await (const { number, text } of readLines(file, DECISION_BODY_BYTES)) {
    const row = text === null ? `The line has more than ${DECISION_BODY_BYTES} bytes.` : rowIn(text);
    if (typeof row === "string") {
      issues.push({ line: number, message: row });
      continue;
    }
    rows.push(row);
    hash.update(`${canonicalJson(row)}\n`);
  }
  if (rows.length === 0 && issues.length === 0) issues.push({ line: 1, message: "The file has no rows." });
  return { rows, sha256: hash.digest("hex"), issues };
}

/** Returns the row, or a message about what is wrong with it. */
function rowIn(text: string): LabeledRow | string {
  const value = parsed(text);
  if (!isRecord(value)) return "The line must be a JSON object with `text` and `route`.";
  const names = ["text", "state", "messages"].filter((name) => value[name] !== undefined);
  if (names.length !== 1) return "The row must have exactly one of `text`, `state` and `messages`.";
  const label = value["route"] === undefined ? value["label"] : value["route"];
  if (label !== null && (typeof label !== "string" || label === "" || label.length > ROUTE_LABEL_MAX))
    return `\`route\` (or \`label\`) must be null or a route of 1 to ${ROUTE_LABEL_MAX} characters.`;
  if (names[0] === "messages")
    return Array.isArray(value["messages"])
      ? { judged: { messages: value["messages"] }, label }
      : "`messages` must be a list.";
  const state = value[names[0]];
  if (typeof state !== "string" || !/\S/.test(state) || state.length > STATE_MAX)
    return `\`${names[0]}\` must be a text of 1 to ${STATE_MAX} characters.`;
  return { judged: { state }, label };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
