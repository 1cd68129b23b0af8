/** Reports a run: bus messages and state changes, sent as frames. All of them are redacted here. */
import type { BusKind } from "@triptych/contracts";
import type { RedactedStream, Redactor } from "@triptych/redaction";
import type { DiffSize } from "@triptych/change-policy";
import type { CheckReport, CheckRun, AgentRole } from "./run-request.ts";

export interface BusItem {
  readonly from: MessageAuthor;
  readonly kind: Exclude<BusKind, "state" | "gap">;
  readonly text: string;
  /** Numbers in the text, as sent. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly round: number;
}

export type MessageAuthor =
  | { readonly role: "worker" }
  | { readonly role: AgentRole; readonly cli: string; readonly model: string | null };

export type StateChange =
  | { readonly state: "preparing" }
  /** With `verify` after a failed round, else with the baseline. */
  | { readonly state: "running"; readonly baseline: CheckRun | null; readonly verify: CheckReport | null }
  | { readonly state: "verifying"; readonly diff: DiffSize };

export interface Reporter {
  say(item: BusItem): void;
  enter(change: StateChange): void;
}

export function redacted(reporter: Reporter, redactor: Redactor): Reporter {
  return {
    enter: (change) => reporter.enter(change),
    say: (item) => reporter.say({ ...item, text: redactor.text(item.text) }),
  };
}

/** The last bytes in whole characters: the end of an output shows the error. */
export function shortened(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const mark = "[beginning truncated]\n";
  const all = Buffer.from(text);
  let from = all.length - (bytes - mark.length);
  // 10xxxxxx is a continuation byte: start at the next character.
  while ((all[from] & 0xc0) === 0x80) from++;
  return mark + all.toString("utf8", from);
}

/** A stream of text chunks: redacts a secret that is split across two of them. */
export function createRedactedWriter(stream: RedactedStream, say: (text: string) => void) {
  return {
    push: (text: string) => write(stream.push(text)),
    end: () => write(stream.end()),
  };

  function write(text: string): void {
    for (let at = 0; at < text.length; at += PIECE) say(text.slice(at, at + PIECE));
  }
}

/** At most three bytes per code unit: each chunk fits into one message. */
const PIECE = 5_000;
