/** Runs `triptych router …` in this process, with the addresses of a test. */
import { CommanderError, type Command } from "commander";
import type { OwnServices } from "../../src/deciding/address.ts";
import type { EncoderContext } from "../../src/commands/encoder-commands.ts";
import { routerCommands } from "../../src/commands/router-commands.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface RunOptions extends Pick<EncoderContext, "runtime" | "trunkBytes"> {
  readonly own?: OwnServices;
  readonly environment?: Readonly<Record<string, string>>;
}

const NOWHERE: OwnServices = { gateway: { url: "http://127.0.0.1:1" }, router: { url: "http://127.0.0.1:1" } };

export async function runCommand(
  args: readonly string[],
  { own = NOWHERE, environment = {}, ...more }: RunOptions = {},
): Promise<Ran> {
  let [out, err] = ["", ""];
  const stdout = { write: (text: string) => (out += text), columns: 60 };
  const stderr = { write: (text: string) => (err += text) };
  const commands = routerCommands({ environment, stdout, stderr, connect: () => own, ...more });
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: stdout.write, writeErr: stderr.write });
    command.commands.forEach(quiet);
  };
  quiet(commands);
  try {
    await commands.parseAsync([...args], { from: "user" });
    return { code: 0, out, err };
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, out, err };
    return { code: 1, out, err: `${err}${error instanceof Error ? error.message : String(error)}` };
  }
}
