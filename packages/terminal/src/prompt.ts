/** Prompts on a terminal. They are written to stderr, because stdout is for results. */
import { createInterface } from "node:readline";
import type { Command } from "commander";

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

/** Reads a line without showing it: in raw mode, neither the kernel nor this process echoes characters. */
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

/** Reads the first line of standard input, for options such as `--token-stdin`. */
export async function readSecret(stdin: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > SECRET_MAX) break;
  }
  return (text.split(/\r?\n/)[0] ?? "").trim();
}

/**
 * Destructive commands ask for confirmation on a terminal. Elsewhere they need `--yes`, so that no script destroys data
 * by mistake.
 */
export function addYesOption(command: Command): Command {
  return command.option("-y, --yes", "do not ask for confirmation");
}

/** Exits with code 2 if the user does not confirm. `question` names what will be destroyed. */
export async function confirmOrRefuse(command: Command, question: string): Promise<void> {
  if (command.opts()["yes"] === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    return command.error(`error: ${question} Pass --yes to confirm without a terminal.`, { exitCode: 2 });
  const answer = await readLine(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) return command.error("Nothing was changed.", { exitCode: 2 });
}
