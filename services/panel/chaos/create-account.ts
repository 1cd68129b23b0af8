/** Creates an account with the CLI command, in this process to save a start. */
import { Readable } from "node:stream";
import { panelCommands } from "../src/commands/panel-commands.ts";

export interface MadeAccount {
  readonly access_token: string;
  readonly license_key: string;
}

export async function createAccount(
  email: string,
  environment: Readonly<Record<string, string>>,
): Promise<MadeAccount> {
  let [printed, errors] = ["", ""];
  const stdout = { write: (text: string) => void (printed += text) };
  const stderr = { write: (text: string) => void (errors += text) };
  const command = panelCommands({ environment, stdin: Readable.from([]), stdout, stderr });
  await command.parseAsync(["create-account", "--email", email, "--plan", "team"], { from: "user" });
  if (printed === "") throw new Error(`creating the account failed: ${errors}`);
  return JSON.parse(printed) as MadeAccount;
}
