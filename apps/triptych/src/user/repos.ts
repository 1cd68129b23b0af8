import { readFile } from "node:fs/promises";
import { readSecret } from "@triptych/terminal";
import type { Triptych } from "@triptych/client";
import type { CredentialSent } from "@triptych/contracts";
import { Command, InvalidArgumentError } from "commander";
import { onCall, type Context } from "./context.ts";
import { UsageError } from "./profile.ts";

export function repoCommands(context: Context): Command {
  const repos = new Command("repos").description("your repositories on the panel").exitOverride();
  onCall(
    repos.command("list").description("list repositories"),
    context,
    "panel",
    async ({ triptych, print, table }) => {
      const items = await Array.fromAsync(triptych.panel.repos.iterate());
      const rows = items.map(({ id, name, status, url }) => [id, name, status, url]);
      print(items, () =>
        rows.length === 0
          ? "No repositories. Add one with `triptych repos add <url>`."
          : table(["id", "name", "status", "address"], rows, ["name", "address"]),
      );
    },
  );
  addAdd(repos, context);
  return repos;
}

interface AddOptions {
  readonly name?: string;
  readonly verifyCmd?: string;
  readonly tokenStdin?: boolean;
  readonly githubApp?: number;
  readonly installation?: number;
  readonly keyFile?: string;
}

function addAdd(repos: Command, context: Context): void {
  const add = repos
    .command("add")
    .description("add a repository")
    .argument("<url>", "http(s), ssh, or host:path")
    .option("--name <name>", "name in the panel")
    .option("--verify-cmd <command>", "command that verifies a change; detected if omitted")
    .option("--token-stdin", "read an access token of the Git host from standard input")
    .option("--github-app <id>", "act as a GitHub App; needs --key-file", readId)
    .option("--installation <id>", "installation of the app (default: found by the address)", readId)
    .option("--key-file <path>", "private key of the app, as GitHub generates it");
  onCall<AddOptions>(add, context, "panel", async ({ triptych, args: [url = ""], print }, options) => {
    if (/^\w+:\/\/[^/@]*:[^/@]+@/.test(url))
      throw new UsageError("A password in the address is visible to others: pass it with --token-stdin.");
    const credential = await readCredential(options, context);
    const repo = await triptych.panel.repos.create({
      url,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.verifyCmd !== undefined && { verify_cmd: options.verifyCmd }),
      ...(credential && { credential }),
    });
    print(repo, () => `${repo.id}  ${repo.name}: ${repo.status}`);
  });
}

async function readCredential(options: AddOptions, { stdin }: Context): Promise<CredentialSent | undefined> {
  const { tokenStdin, githubApp, installation, keyFile } = options;
  if (githubApp === undefined) {
    if (installation !== undefined || keyFile !== undefined)
      throw new UsageError("--installation and --key-file belong to --github-app.");
    return tokenStdin === true ? { kind: "token", token: await readSecret(stdin) } : undefined;
  }
  if (tokenStdin === true) throw new UsageError("Pass either --token-stdin or --github-app.");
  if (keyFile === undefined) throw new UsageError("--github-app needs the private key of the app: --key-file <path>.");
  return {
    kind: "github_app",
    app_id: githubApp,
    ...(installation !== undefined && { installation_id: installation }),
    private_key: await readFile(keyFile, "utf8").catch(() => {
      throw new UsageError(`Cannot read the file ${keyFile}.`);
    }),
  };
}

function readId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("An ID is a positive number.");
  return Number(text);
}

/** A repository by ID, or by its exact name. */
export async function repoId({ panel }: Triptych, nameOrId: string): Promise<string> {
  if (nameOrId.startsWith("rep_")) return nameOrId;
  const found: string[] = [];
  for await (const { id, name } of panel.repos.iterate({ q: nameOrId })) if (name === nameOrId) found.push(id);
  const [id, ...others] = found;
  if (id === undefined) throw new Error(`No repository has the name ${nameOrId}. \`triptych repos list\` lists them.`);
  if (others.length > 0)
    throw new Error(`Several repositories have the name ${nameOrId}: ${found.join(", ")}. Use an ID.`);
  return id;
}
