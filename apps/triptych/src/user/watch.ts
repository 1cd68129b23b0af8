/** `triptych run watch`: prints the messages of a run as lines; on a terminal, a status line follows them. */
import { clip, widthOf } from "@triptych/terminal";
import type { BusMessage } from "@triptych/contracts";
import { cleanText, type Call, type Context } from "./context.ts";

interface WatchOptions {
  readonly id: string;
  readonly context: Context;
  readonly isJson: boolean;
}

const ERASE_LINE = "\r\u001b[K";

/** Sets exit code 1 if the run failed. */
export async function watchRun({ triptych: { panel } }: Call, { id, context, isJson }: WatchOptions): Promise<void> {
  const { stdout } = context;
  // An unknown run is reported before anything is printed.
  await panel.runs.get({ id });
  const status = statusLine(context, isJson);
  for await (const message of panel.bus.stream({ id })) {
    if (isJson) stdout.write(`${JSON.stringify(message)}\n`);
    else status.above(lineOf(message, widthOf(stdout)));
    status.show(`${id}: ${message.kind === "state" ? cleanText(message.text) : message.kind}, ${message.seq} messages`);
  }
  status.clear();
  const run = await panel.runs.get({ id });
  if (isJson) stdout.write(`${JSON.stringify(run)}\n`);
  else stdout.write(`${id} ${run.state}${run.result?.message ? `: ${cleanText(run.result.message)}` : ""}\n`);
  if (run.phase === "failure") process.exitCode = 1;
}

function lineOf({ at, from, kind, text }: BusMessage, width: number): string {
  const line = `${at.slice(11, 19)}  ${from.role.padEnd(8)}  ${kind.padEnd(11)}  ${cleanText(text)}`;
  return clip(line, width).trimEnd();
}

/** Shown on a terminal only, so that it never mixes with piped output. */
function statusLine({ stdout, stderr }: Context, isJson: boolean) {
  const isLive = stderr.isTTY === true && !isJson;
  const clear = () => void (isLive && stderr.write(ERASE_LINE));
  return {
    clear,
    above(line: string) {
      clear();
      stdout.write(`${line}\n`);
    },
    show(text: string) {
      if (isLive) stderr.write(`${ERASE_LINE}${clip(text, widthOf(stderr) - 1)}`);
    },
  };
}
