/** Imports and exports head files, offline. A running router loads an imported head within a second. */
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HEAD_NAME_PATTERN, SHIPPED_EXPERTS } from "@triptych/contracts";
import { ArtifactError, ARTIFACTS, loadTrunk } from "@triptych/decisions";
import { ulid } from "@triptych/ids";
import { readConfig } from "@triptych/config";
import { addJsonOption, printResult, type Output } from "@triptych/terminal";
import { Command, InvalidArgumentError } from "commander";
import { RouterConfig } from "../config.ts";
import { isOwner, LOCAL_OWNER } from "../domain/experts.ts";
import { isUsable } from "../domain/heads/head-states.ts";
import { importHead } from "../domain/heads/import-head.ts";
import type { OpenedFile } from "../domain/heads/trainer.ts";
import { encoderFolder, identityOfEncoder } from "../engine/base-models.ts";
import { factsOf } from "../engine/head-facts.ts";
import { openStore, type RouterStore } from "../store/open-store.ts";

export function headCommands(context: CliContext): Command {
  const { stdout } = context;
  const heads = new Command("heads").description("export, import and verify custom heads as files").exitOverride();
  const owner = ["--owner <id>", "owner of the heads: a wallet ID behind a gateway", ownerIn, LOCAL_OWNER] as const;

  addJsonOption(heads.command("list"))
    .description("list all versions of all heads")
    .option(...owner)
    .action(async (options: { owner: string }, command: Command) => {
      await using store = await openOwn(context);
      const found = await store.heads.list(options.owner);
      const lines = found.map(
        ({ id, name, version, state, made }) =>
          `${id}  ${name}  version ${version}  ${state}  ${made?.sha256 ?? "no file"}`,
      );
      printResult(command, stdout, {
        json: found.map(({ id, name, version, state, made }) => ({
          id,
          name,
          version,
          state,
          sha256: made?.sha256 ?? null,
        })),
        text: () => (lines.length === 0 ? "No heads." : lines.join("\n")),
      });
    });
  addJsonOption(heads.command("export"))
    .description("export the head file of a name (live version) or an ID")
    .argument("<head>", "name or ID (hed_…)")
    .argument("<file>", "output file")
    .option(...owner)
    .action(async (head: string, file: string, options: { owner: string }, command: Command) => {
      await using store = await openOwn(context);
      const { sha256, bytes } = await fileOf(store, options.owner, head);
      await writeFile(file, bytes, { mode: 0o600 });
      printResult(command, stdout, {
        json: { file, bytes: bytes.length, sha256 },
        text: () => `${file}: ${bytes.length} bytes, sha256 ${sha256}`,
      });
    });
  addJsonOption(heads.command("import"))
    .description("import a head file as the next version (live if the name is new)")
    .argument("<file>", "head file")
    .option("--name <name>", "name to use instead of the name in the file")
    .option(...owner)
    .action(async (file: string, options: { owner: string; name?: string }, command: Command) => {
      const { facts, bytes } = await readHeadFile(context, file);
      const name = nameFor(options.name ?? facts.name);
      if (facts.rejected !== null)
        throw new Error(`${facts.rejected}: the head in ${file} ${WHY_REJECTED[facts.rejected]}. Train it again.`);
      await using store = await openOwn(context);
      const parts = { store: store.heads, files: store.files, now: Date.now, newId };
      const { id, version, state } = await importHead(parts, { ...facts, owner: options.owner, name, bytes });
      printResult(command, stdout, {
        json: { id, name, version, state },
        text: () => `${name} version ${version}, ${id}: ${state}`,
      });
    });
  addJsonOption(heads.command("verify"))
    .description("verify a head file and its base model (the trunk of this release, or the encoder of ROUTER_TRUNK)")
    .argument("<file>", "head file")
    .action(async (file: string, _options, command: Command) => {
      const { name, made } = (await readHeadFile(context, file)).facts;
      const size = made.denseBytes + made.plusBytes;
      printResult(command, stdout, {
        json: { name, routes: made.routes, weight_bytes: size, sha256: made.sha256 },
        text: () => `${name}: ${made.routes.length} routes, ${size} bytes of weights, sha256 ${made.sha256}`,
      });
    });
  return heads;
}

const WHY_REJECTED = {
  ece: "is not calibrated and cannot be used",
  no_signal: "is no better than always predicting the most frequent route, and cannot be used",
} as const;

/** A gateway can only name such owners; with another one, the head would be unreachable. */
function ownerIn(text: string): string {
  if (!isOwner(text)) throw new InvalidArgumentError("Expected a wallet ID: letters, digits, `_` and `-`.");
  return text;
}

async function openOwn({ environment }: CliContext): Promise<RouterStore> {
  const { TRIPTYCH_DATA, DATABASE_URL } = readConfig(RouterConfig, environment);
  return await openStore({ dataFolder: resolve(TRIPTYCH_DATA), databaseUrl: DATABASE_URL });
}

async function fileOf(store: RouterStore, owner: string, nameOrId: string) {
  const heads = await store.heads.list(owner);
  const head = heads.find(({ id, name, state }) => id === nameOrId || (name === nameOrId && state === "live"));
  if (head === undefined) throw new Error(`No live head has the name or ID ${nameOrId}.`);
  if (head.made === null || !isUsable(head.state))
    throw new Error(`The head ${head.id} is ${head.state}: it has no file.`);
  const { sha256 } = head.made;
  const bytes = await store.files.get({ headId: head.id, sha256 });
  if (bytes === null) throw new Error(`The file of the head ${head.id} is missing.`);
  return { sha256, bytes };
}

/** Prefixes the message with the issue code, for scripts. */
async function readHeadFile(
  context: CliContext,
  file: string,
): Promise<{ readonly facts: OpenedFile; readonly bytes: Uint8Array }> {
  const bytes = new Uint8Array(await readFile(file));
  const trunk = await readBaseModel(context);
  try {
    return { facts: factsOf(bytes, trunk), bytes };
  } catch (error) {
    if (error instanceof ArtifactError) throw new Error(`${error.code}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Hex SHA-256 of the heads' base model, computed without loading the model. */
async function readBaseModel({ environment, trunkBytes }: CliContext): Promise<string> {
  const folder = encoderFolder(readConfig(RouterConfig, environment).ROUTER_TRUNK);
  return folder === null ? loadTrunk(await (trunkBytes ?? releasedTrunk)()).sha256 : await identityOfEncoder(folder);
}

export function releasedTrunk(): Promise<Uint8Array> {
  return readFile(new URL("trunk.tptk", ARTIFACTS));
}

function nameFor(name: string): string {
  if (!new RegExp(HEAD_NAME_PATTERN).test(name) || SHIPPED_EXPERTS.some((shipped) => shipped === name))
    throw new Error(
      "A head name has 2 to 40 lower-case letters, digits and `_`, and must not be a shipped expert's name. Set another with --name.",
    );
  return name;
}

function newId(prefix: string): string {
  return ulid(prefix, Date.now(), randomBytes);
}

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  /** Defaults to the bundled trunk. */
  readonly trunkBytes?: () => Promise<Uint8Array>;
}
