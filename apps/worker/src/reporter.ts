/**
 * What a run says while it goes on: bus messages and state changes, to be sent as frames. Everything passes one door here, which
 * takes secrets out and bounds the length before anything leaves the run.
 */
import type { RedactedStream, Redactor } from "@triptych/redaction";
import type { CheckRun, DiffSize } from "./run-order.ts";

export interface BusItem {
  readonly from: { readonly role: "worker" | "coder"; readonly agent: string | null };
  readonly kind: "state" | "message" | "log" | "tool_call" | "tool_result" | "verify" | "diff" | "usage" | "error";
  readonly text: string;
  readonly round: number;
}

export type StateChange =
  | { readonly state: "preparing" }
  /** With `verify` after a red round, else with the baseline. */
  | { readonly state: "running"; readonly baseline: CheckRun | null; readonly verify: CheckRun | null }
  | { readonly state: "verifying"; readonly diff: DiffSize };

export interface Reporter {
  say(item: BusItem): void;
  enter(change: StateChange): void;
}

/** As the bus takes it; what is longer belongs into an artefact. */
const LONGEST_TEXT = 16 * 1024;

export function redacted(reporter: Reporter, redactor: Redactor): Reporter {
  return {
    enter: (change) => reporter.enter(change),
    say: (item) => reporter.say({ ...item, text: shortened(redactor.text(item.text)) }),
  };
}

/** The last 16 KiB in whole characters: the end of an output says what went wrong. */
function shortened(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_TEXT) return text;
  const mark = "[the beginning was cut]\n";
  let from = text.length - Math.floor((LONGEST_TEXT - mark.length) / 3);
  if (/[\uDC00-\uDFFF]/.test(text[from])) from++;
  return mark + text.slice(from);
}

/** A talker whose text arrives in pieces: a secret that was split over two of them is seen all the same. */
export function createTalk(stream: RedactedStream, say: (text: string) => void) {
  return {
    push: (text: string) => tell(stream.push(text)),
    end: () => tell(stream.end()),
  };

  function tell(text: string): void {
    for (let at = 0; at < text.length; at += PIECE) say(text.slice(at, at + PIECE));
  }
}

/** Three bytes a symbol at most: each piece fits into one message. */
const PIECE = 5_000;
