/** `triptych panel …`: account commands for the operator. They open the store directly, also while a panel is running. */
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { PLANS, type PlanId } from "@triptych/contracts";
import { readConfig } from "@triptych/config";
import { installationSecrets } from "@triptych/server";
import { addYesOption, confirmOrRefuse } from "@triptych/terminal";
import { Command, InvalidArgumentError, Option } from "commander";
import { PanelConfig } from "../config.ts";
import { addKeyCommands } from "./keys.ts";
import { normalizeEmail, openAccount } from "../domain/open-account.ts";
import type { Repositories } from "../domain/repositories.ts";
import { NO_WORKERS, type Panel } from "../domain/panel.ts";
import type { AccountRecord } from "../domain/records.ts";
import { openPanel } from "../compose/panel.ts";
import { openPanelStore } from "../store/store-location.ts";

const EMAIL = ["--email <address>", "email address of the account", parseEmail] as const;
const PASSWORD = [
  "--password <->",
  "pass `-` to read it from standard input; omit it for a random password",
  parseDash,
] as const;

interface Named {
  readonly email: string;
}

export function panelCommands(context: CliContext): Command {
  const { stdout, stderr } = context;
  const panel = new Command("panel")
    .description("manage accounts of the maintenance panel")
    .exitOverride()
    .showHelpAfterError("(use --help for usage)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  addCreate(panel, context);
  addPlan(panel, context);
  for (const [command, status, does] of [
    ["suspend", "suspended", "make an account read-only, disconnect its workers and hold its queued runs"],
    ["resume", "active", "resume a suspended account"],
  ] as const)
    (command === "suspend" ? addYesOption(panel.command(command)) : panel.command(command))
      .description(does)
      .requiredOption(...EMAIL)
      .addOption(jsonOption())
      .action(async ({ email }: Named, self: Command) => {
        if (command === "suspend") await confirmOrRefuse(self, `Suspend the account of ${email}?`);
        await change(context, email, {
          what: command,
          work: (repositories) => repositories.account.setStatus(status),
        });
      });
  addPassword(panel, context);
  addKeyCommands(panel, { stdout, withPanel: (work) => withPanel(context, work) });
  return panel;
}

type NewAccountOptions = Named & { readonly plan: PlanId; readonly password?: "-" };

function addCreate(panel: Command, context: CliContext): void {
  const { stdout, stderr, stdin } = context;
  panel
    .command("create-account")
    .addOption(jsonOption())
    .description("create an account and print it with its secrets as JSON; they cannot be shown again")
    .requiredOption(...EMAIL)
    .addOption(planOption().default("pro"))
    .option(...PASSWORD)
    .action(async ({ email, plan, password: passwordOption }: NewAccountOptions) => {
      const password = passwordOption === undefined ? null : await readPassword(stdin);
      await withPanel(context, async (panel) => {
        const opened = await openAccount(panel, { email, plan, password });
        if (opened === null) throw new Error(`${normalizeEmail(email)} already has an account.`);
        sayJson(stdout, opened);
        say(stderr, "Save the password and the access token now: they cannot be shown again. The license key can.");
      });
    });
}

function addPlan(panel: Command, context: CliContext): void {
  panel
    .command("set-plan")
    .addOption(jsonOption())
    .description("change the plan of an account; a smaller plan deletes nothing but blocks additions beyond its limits")
    .requiredOption(...EMAIL)
    .addOption(planOption().makeOptionMandatory())
    .action(({ email, plan }: Named & { readonly plan: PlanId }) =>
      change(context, email, { what: `plan_${plan}`, work: (repositories) => repositories.account.setPlan(plan) }),
    );
}

function addPassword(panel: Command, context: CliContext): void {
  const { stdin } = context;
  panel
    .command("set-password")
    .addOption(jsonOption())
    .description("set a new password and end all sessions of an account")
    .requiredOption(...EMAIL)
    .option(...PASSWORD)
    .action(async ({ email, password: passwordOption }: Named & { readonly password?: "-" }) => {
      const typed = passwordOption === undefined ? null : await readPassword(stdin);
      await change(context, email, {
        what: "password_set",
        async prepare({ passwords, random }) {
          const password = typed ?? Buffer.from(random(18)).toString("base64url");
          const hash = await passwords.hash(password);
          return {
            work: (repositories) => repositories.account.setPassword(hash),
            ...(typed === null && { printed: { password } }),
          };
        },
      });
    });
}

/** Account commands always print JSON. */
function jsonOption(): Option {
  return new Option("--json", "accepted for consistency: the output is always JSON");
}

function planOption(): Option {
  return new Option("--plan <plan>", "plan of the account").choices([...PLANS]);
}

type LocalPanel = Omit<Panel, "url">;

interface Change {
  readonly what: string;
  readonly work: (repositories: Repositories) => Promise<void>;
}

/** Slow work runs before the transaction, which blocks all other writers. */
interface PreparedChange {
  readonly what: string;
  readonly prepare: (panel: LocalPanel) => Promise<Pick<Change, "work"> & { readonly printed?: object }>;
}

async function change(context: CliContext, email: string, requested: Change | PreparedChange): Promise<void> {
  await withPanel(context, async (panel) => {
    const { id } = await accountOf(panel, email);
    const prepared = "prepare" in requested ? await requested.prepare(panel) : requested;
    await panel.store.change(id, async (repositories) => {
      await prepared.work(repositories);
      await repositories.account.note({ id: panel.newId("aud"), what: requested.what, at: panel.now() });
    });
    const { plan, status, email: storedEmail } = await accountOf(panel, email);
    const printed = "printed" in prepared ? prepared.printed : {};
    sayJson(context.stdout, { account_id: id, email: storedEmail, plan, status, ...printed });
  });
}

async function accountOf({ store }: LocalPanel, email: string): Promise<AccountRecord> {
  const match = await store.system.byEmail(normalizeEmail(email));
  if (match === null) throw new Error(`No account has the email address ${normalizeEmail(email)}.`);
  return match.account;
}

async function withPanel(context: CliContext, work: (panel: LocalPanel) => Promise<void>): Promise<void> {
  const config = readConfig(PanelConfig, context.environment);
  const isProduction = config.NODE_ENV === "production";
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await using store = await openPanelStore({ dataFolder, databaseUrl: config.DATABASE_URL });
  const secret = await installationSecrets({ config, dataFolder, isProduction });
  await work(openPanel({ config, store, secret, workers: NO_WORKERS }));
}

/** Catches typos only. */
function parseEmail(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(text.trim()))
    throw new InvalidArgumentError("Use an email address such as owner@example.org.");
  return text;
}

function parseDash(text: string): string {
  if (text === "-") return text;
  throw new InvalidArgumentError(
    "Other users can see a password on the command line: pass `-` and send it on standard input.",
  );
}

export interface Output {
  write(text: string): unknown;
  readonly columns?: number;
}

/** Injected, so that tests run commands in their own process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Machine-readable output: one JSON object per line. */
export function sayJson(output: Output, object: object): void {
  output.write(`${JSON.stringify(object)}\n`);
}

export function say(output: Output, line: string): void {
  output.write(`${line}\n`);
}

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 1_000;

export async function readPassword(stdin: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > 2 * PASSWORD_LENGTH_MAX) break;
  }
  const [line = ""] = text.split(/\r?\n/);
  if (line.length < PASSWORD_LENGTH_MIN || line.length > PASSWORD_LENGTH_MAX)
    throw new Error(
      `The password on standard input must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters.`,
    );
  return line;
}
