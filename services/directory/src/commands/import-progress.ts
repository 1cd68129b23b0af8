/** Import progress: a bar on a terminal, otherwise a line every few seconds. Each step prints a line in both cases. */
import type { Output } from "./cli-context.ts";

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;
const BAR_WIDTH = 30;

export interface ImportProgress {
  read(bytes: number): void;
  rows(count: number): void;
  step(what: string): void;
  end(): void;
}

export function showProgress(output: Output, totalBytes: number, now: () => number): ImportProgress {
  const isTerminal = output.isTTY === true;
  const every = isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS;
  let bytes = 0;
  let rows = 0;
  let lastUpdateAt = now();
  let hasBar = false;

  const clear = () => {
    if (hasBar) output.write("\r\u001B[K");
    hasBar = false;
  };
  const show = () => {
    if (now() - lastUpdateAt < every) return;
    lastUpdateAt = now();
    const share = totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
    // Bytes are read ahead of rows; a small file is read whole.
    const done = rows === 0 ? "" : `  ${rows} rows`;
    const text = `${String(Math.floor(share * 100)).padStart(3)}% of the file read${done}`;
    if (!isTerminal) {
      output.write(`${text.trimStart()}\n`);
      return;
    }
    const full = Math.round(share * BAR_WIDTH);
    output.write(`\r${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ${text}\u001B[K`);
    hasBar = true;
  };
  return {
    read(count) {
      bytes += count;
      show();
    },
    rows(count) {
      rows += count;
      show();
    },
    step(what) {
      clear();
      output.write(`${what}\n`);
    },
    end: clear,
  };
}
