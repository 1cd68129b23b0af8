/**
 * Storage and wire format of bus messages. A chunk holds one JSON line per message in its final form, without the number, which is
 * prepended when read. So a chunk is sent to many readers without parsing. Each line starts with `kind` and `role`, where the filter reads
 * them.
 */
import type { BusKind, BusMessage, BusRole } from "@triptych/contracts";
import { BUS_KINDS, BUS_ROLES, BUS_TEXT_BYTES } from "@triptych/contracts/plain";
import type { BusItem } from "./records.ts";

/** Messages written together, numbered `firstSeq` to `lastSeq` without gaps. */
export interface BusChunk {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly epoch: number;
  readonly items: string;
}

export interface BusLines {
  readonly items: string;
  /** The worker's own increasing number of each line; null for messages of the panel. */
  readonly wseqs: readonly (number | null)[];
  readonly kinds: number;
  readonly roles: number;
}

/** Absent members match everything. */
export interface EventFilter {
  readonly kinds?: readonly BusKind[] | undefined;
  readonly roles?: readonly BusRole[] | undefined;
}

/** The bit of a kind or role is its index in the closed list, so the lists may only grow at the end. */
export function bitsOf<T extends string>(list: readonly T[], chosen: readonly T[]): number {
  return chosen.reduce((bits, name) => bits | (1 << list.indexOf(name)), 0);
}

/** PostgreSQL stores the numbers as 32-bit integers. */
const WSEQ_MAX = 2 ** 31 - 1;

/** Throws for an item that is not a bus item: external input is validated by its schema before. */
export function linesOf(items: readonly BusItem[]): BusLines {
  for (const { kind, from, wseq } of items) {
    if (!BUS_KINDS.includes(kind) || !BUS_ROLES.includes(from.role) || (wseq ?? 1) > WSEQ_MAX)
      throw new RangeError(`Invalid bus message: kind ${kind}, role ${from.role}, number ${wseq}.`);
  }
  return {
    items: items.map(lineOf).join("\n"),
    wseqs: items.map(({ wseq }) => wseq),
    kinds: bitsOf(
      BUS_KINDS,
      items.map(({ kind }) => kind),
    ),
    roles: bitsOf(
      BUS_ROLES,
      items.map(({ from }) => from.role),
    ),
  };
}

function lineOf({ kind, from: { role, agent, cli, model }, at, text, data, round }: BusItem): string {
  return JSON.stringify({
    kind,
    from: { role, agent, cli, model },
    at: new Date(at).toISOString(),
    text: withinBytes(text),
    data,
    round,
  });
}

/** Workers put longer text into an artifact; text that is still too long is cut and marked. */
function withinBytes(text: string): string {
  if (text.length * 3 <= BUS_TEXT_BYTES || Buffer.byteLength(text) <= BUS_TEXT_BYTES) return text;
  const mark = " [cut]";
  const bytes = Buffer.from(text).subarray(0, BUS_TEXT_BYTES - mark.length);
  // A cut symbol of up to three bytes decodes as one U+FFFD.
  return bytes.toString().replace(/\uFFFD$/, "") + mark;
}

export function withoutFirst(lines: BusLines, count: number): BusLines {
  if (count === 0) return lines;
  const rest = lines.items.split("\n").slice(count);
  const heads = rest.map(headOf);
  return {
    items: rest.join("\n"),
    wseqs: lines.wseqs.slice(count),
    kinds: bitsOf(
      BUS_KINDS,
      heads.map(({ kind }) => kind),
    ),
    roles: bitsOf(
      BUS_ROLES,
      heads.map(({ role }) => role),
    ),
  };
}

const HEAD = /^\{"kind":"(\w+)","from":\{"role":"(\w+)"/;

function headOf(line: string): { readonly kind: BusKind; readonly role: BusRole } {
  const [, kind, role] = HEAD.exec(line) ?? [];
  return { kind: kind as BusKind, role: role as BusRole };
}

interface NumberedMessage {
  readonly seq: number;
  readonly json: string;
}

export function* numbered(runId: string, chunk: BusChunk, { after, filter }: { after: number; filter: EventFilter }) {
  const { kinds, roles } = filter;
  const about = `"run_id":${JSON.stringify(runId)},"epoch":${chunk.epoch},"to":"all","reply_to":null,`;
  let seq = chunk.firstSeq - 1;
  for (const line of chunk.items.split("\n")) {
    seq++;
    if (seq <= after) continue;
    if (kinds !== undefined || roles !== undefined) {
      const { kind, role } = headOf(line);
      if (kinds?.includes(kind) === false || roles?.includes(role) === false) continue;
    }
    yield { seq, json: `{"seq":${seq},${about}${line.slice(1)}` } satisfies NumberedMessage;
  }
}

export function messageOf({ json }: NumberedMessage): BusMessage {
  return JSON.parse(json) as BusMessage;
}

/** Replaces pruned messages. It carries the last pruned number, so that a reader resumes after it. */
export function gapOf(runId: string, { from, to, at }: { from: number; to: number; at: number }): BusMessage {
  return {
    seq: to,
    run_id: runId,
    epoch: 0,
    to: "all",
    reply_to: null,
    kind: "gap",
    from: { role: "panel", agent: null, cli: null, model: null },
    at: new Date(at).toISOString(),
    text: `Messages ${from} to ${to} are older than the retention period of this plan.`,
    data: { from, to, reason: "pruned" },
    round: null,
  };
}

export function eventOf({ seq, json }: NumberedMessage): string {
  return `id: ${seq}\ndata: ${json}\n\n`;
}
