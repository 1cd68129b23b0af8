/** Converts response bodies to text of limited size. A list that is too long is shortened by whole entries. */
import type { Paging, ToolRow } from "./tool-table.ts";

/** Limit for the text of one result, including markers and notes. */
export const RESULT_MAX_BYTES = 64 * 1024;
/** Reserved for the boundary, the note and the arguments of the next page. */
const RESERVED_BYTES = 2 * 1024;
export const TEXT_MAX_BYTES = RESULT_MAX_BYTES - RESERVED_BYTES;

export type Arguments = Readonly<Record<string, unknown>>;

export interface PageText {
  readonly text: string;
  /** Tells the model, outside the data, what is missing and how to get it. */
  readonly note?: string;
  /**
   * Number of entries that fit. If set, request the page again with this limit, because only the API creates cursors.
   */
  readonly fittingLimit?: number;
}

export function toPageText(body: unknown, row: Pick<ToolRow, "paging" | "narrow">, args: Arguments): PageText {
  if (typeof body === "string") return cut(body, row.narrow);
  const { paging } = row;
  const entries = paging === undefined ? undefined : listIn(body, paging.list);
  if (paging === undefined || entries === undefined) return cut(JSON.stringify(body ?? null), row.narrow);
  // A single entry that is too long is truncated, so that the next page still begins after it.
  const fitting = Math.max(fittingCount(body, paging.list, entries), Math.min(1, entries.length));
  if (fitting < entries.length && paging.kind === "cursor") return { text: "", fittingLimit: fitting };
  const visible = { ...(body as object), [paging.list]: entries.slice(0, fitting) };
  const next = nextPage(paging, visible, args);
  const { text, note: truncated } = cut(JSON.stringify(visible), row.narrow);
  const notes = [
    truncated,
    fitting < entries.length ? `Only ${fitting} of ${entries.length} entries fit into 64 KiB.` : undefined,
    next === null ? undefined : `Next page: repeat the call with ${JSON.stringify(next)}.`,
  ].filter((note) => note !== undefined);
  return { text, ...(notes.length > 0 && { note: notes.join(" ") }) };
}

/** Arguments of the next page, or null after the last one. */
function nextPage({ kind, list }: Paging, body: object, args: Arguments): Arguments | null {
  const values = { ...body } as Readonly<Record<string, unknown>>;
  const visible = listIn(body, list) ?? [];
  switch (kind) {
    case "cursor":
      return typeof values["next_cursor"] === "string" ? { cursor: values["next_cursor"] } : null;
    case "offset": {
      const offset = numberOf(args["offset"]) + visible.length;
      return visible.length > 0 && offset < numberOf(values["total"]) ? { offset } : null;
    }
    case "after": {
      const last = visible.at(-1);
      const seq =
        typeof last === "object" && last !== null && "seq" in last ? numberOf(last.seq) : numberOf(args["after"]);
      return seq < numberOf(values["last_seq"]) || values["complete"] === false ? { after: seq } : null;
    }
  }
}

function fittingCount(body: unknown, list: string, entries: readonly unknown[]): number {
  let bytes = sizeOf(JSON.stringify({ ...(body as object), [list]: [] }));
  for (const [index, entry] of entries.entries()) {
    bytes += sizeOf(JSON.stringify(entry)) + 1;
    if (bytes > TEXT_MAX_BYTES) return index;
  }
  return entries.length;
}

function cut(text: string, narrow = ""): PageText {
  const size = sizeOf(text);
  if (size <= TEXT_MAX_BYTES) return { text };
  // A character cut in half decodes to a replacement character, which is dropped.
  const head = Buffer.from(text)
    .subarray(0, TEXT_MAX_BYTES)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
  return { text: head, note: `Truncated: the first ${sizeOf(head)} of ${size} bytes. ${narrow}`.trimEnd() };
}

function listIn(body: unknown, name: string): readonly unknown[] | undefined {
  const list = typeof body === "object" && body !== null ? (body as Arguments)[name] : undefined;
  return Array.isArray(list) ? list : undefined;
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text);
}
