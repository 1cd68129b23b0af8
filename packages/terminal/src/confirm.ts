/** Destructive commands ask on a terminal. Without a terminal they need `--yes`, so that no script destroys by mistake. */
import type { Command } from "commander";
import { readLine } from "./prompt.ts";

export function addYesOption(command: Command): Command {
  return command.option("-y, --yes", "do not ask for confirmation");
}

/** Ends the command with exit code 2 if it is not confirmed. `question` names what is destroyed. */
export async function confirmOrRefuse(command: Command, question: string): Promise<void> {
  if (command.opts()["yes"] === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    return command.error(`error: ${question} Pass --yes to confirm without a terminal.`, { exitCode: 2 });
  const answer = await readLine(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) return command.error("Nothing was changed.", { exitCode: 2 });
}
