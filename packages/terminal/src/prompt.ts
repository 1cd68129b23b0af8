/** Questions on a terminal. They go to stderr, because stdout carries results. */
import { createInterface } from "node:readline";

const SECRET_MAX = 10_000;

export function readLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve, reject) => {
    // Ctrl-C and Ctrl-D.
    lines.once("close", () => reject(new Error("Cancelled.")));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** The typed characters are not shown: in raw mode neither the kernel nor this process echoes them. */
export function readHiddenLine(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stdin.setRawMode(true);
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let typed = "";
    const finish = (end: () => void) => {
      stdin.setRawMode(false);
      stdin.off("data", onData).pause();
      stderr.write("\n");
      end();
    };
    const onData = (chunk: string | Buffer) => {
      for (const character of chunk.toString()) {
        if (character === "\r" || character === "\n") return finish(() => resolve(typed));
        // Ctrl-C and Ctrl-D.
        if (character === "\u0003" || character === "\u0004") return finish(() => reject(new Error("Cancelled.")));
        typed = character === "\u007f" || character === "\b" ? typed.slice(0, -1) : typed + character;
      }
    };
    stdin.on("data", onData).resume();
  });
}

/** The first line of standard input, for `--token-stdin` and its like. */
export async function readSecret(stdin: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > SECRET_MAX) break;
  }
  return (text.split(/\r?\n/)[0] ?? "").trim();
}
