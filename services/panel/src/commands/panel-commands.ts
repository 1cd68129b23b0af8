/** `triptych panel …`: account commands for the operator. Each works on the store directly, even beside a running panel. */
import { resolve } from "node:path";
import { PLANS, type PlanId } from "@triptych/contracts";
import { installationSecret, readConfig } from "@triptych/server";
import { Command, InvalidArgumentError, Option } from "commander";
import { PanelConfig } from "../config.ts";
import { normaliseEmail, openAccount } from "../domain/open-account.ts";
import type { Repositories } from "../domain/repositories.ts";
import { NO_WORKERS, type Panel } from "../domain/panel.ts";
import type { AccountRecord } from "../domain/records.ts";
import { openPanel } from "../compose-panel.ts";
import { openPanelStore } from "../store/store-location.ts";
import { readPassword } from "./read-password.ts";
import { say, sayJson, type CliContext } from "./cli-context.ts";

const EMAIL = ["--email <address>", "of the account", parseEmail] as const;
const PASSWORD = ["--password <->", "`-` reads it from standard input; a random one when absent", parseDash] as const;

interface Named {
  readonly email: string;
}

export function panelCommands(context: CliContext): Command {
  const { stdout, stderr } = context;
  const panel = new Command("panel")
    .description("accounts of the maintenance panel")
    .exitOverride()
    .showHelpAfterError("(--help explains the command)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    });
  addCreate(panel, context);
  addPlan(panel, context);
  for (const [command, status, does] of [
    ["suspend", "suspended", "let an account read and change nothing; its workers are sent away, its queued runs wait"],
    ["resume", "active", "end a suspension"],
  ] as const)
    panel
      .command(command)
      .description(does)
      .requiredOption(...EMAIL)
      .action(({ email }: Named) =>
        change(context, email, { what: command, work: (repositories) => repositories.account.setStatus(status) }),
      );
  addPassword(panel, context);
  return panel;
}

type NewAccountOptions = Named & { readonly plan: PlanId; readonly password?: "-" };

function addCreate(panel: Command, context: CliContext): void {
  const { stdout, stderr, stdin } = context;
  panel
    .command("create-account")
    .description("create an account and print it with its secrets as JSON once; they cannot be shown again")
    .requiredOption(...EMAIL)
    .addOption(planOption().default("pro"))
    .option(...PASSWORD)
    .action(async ({ email, plan, password: passwordOption }: NewAccountOptions) => {
      const password = passwordOption === undefined ? null : await readPassword(stdin);
      await withPanel(context, async (about) => {
        const opened = await openAccount(about, { email, plan, password });
        if (opened === null) throw new Error(`${normaliseEmail(email)} has an account already.`);
        sayJson(stdout, opened);
        say(stderr, "Keep the password, the access token and the licence key: only the licence key can be read again.");
      });
    });
}

function addPlan(panel: Command, context: CliContext): void {
  panel
    .command("set-plan")
    .description("change the plan of an account; a smaller one deletes nothing, it only stops new things")
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
    .description("give an account another password; ends all its sessions")
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

function planOption(): Option {
  return new Option("--plan <plan>", "of the account").choices([...PLANS]);
}

type House = Omit<Panel, "url">;

interface Change {
  /** For the audit log. */
  readonly what: string;
  readonly work: (repositories: Repositories) => Promise<void>;
}

/** Slow work runs before the transaction, which blocks all other writers. */
interface PreparedChange {
  readonly what: string;
  readonly prepare: (about: House) => Promise<Pick<Change, "work"> & { readonly printed?: object }>;
}

/** Changes one account, writes the audit log, and returns the account. */
async function change(context: CliContext, email: string, requested: Change | PreparedChange): Promise<void> {
  await withPanel(context, async (about) => {
    const { id } = await accountOf(about, email);
    const prepared = "prepare" in requested ? await requested.prepare(about) : requested;
    await about.store.change(id, async (repositories) => {
      await prepared.work(repositories);
      await repositories.account.note({ id: about.newId("aud"), what: requested.what, at: about.now() });
    });
    const { plan, status, email: storedEmail } = await accountOf(about, email);
    const printed = "printed" in prepared ? prepared.printed : {};
    sayJson(context.stdout, { account_id: id, email: storedEmail, plan, status, ...printed });
  });
}

async function accountOf({ store }: House, email: string): Promise<AccountRecord> {
  const match = await store.system.byEmail(normaliseEmail(email));
  if (match === null) throw new Error(`Nobody has an account under ${normaliseEmail(email)}.`);
  return match.account;
}

async function withPanel(context: CliContext, work: (about: House) => Promise<void>): Promise<void> {
  const config = readConfig(PanelConfig, context.environment);
  const isProduction = config.NODE_ENV === "production";
  const dataFolder = resolve(config.TRIPTYCH_DATA);
  await using store = await openPanelStore({ dataFolder, databaseUrl: config.DATABASE_URL });
  const secret = await installationSecret({ secret: config.TRIPTYCH_SECRET, dataFolder, isProduction });
  await work(openPanel({ config, store, secret, workers: NO_WORKERS }));
}

/** Catches typos only; just a mail would prove that the address works. */
function parseEmail(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(text.trim()))
    throw new InvalidArgumentError("Write an address, like owner@example.org.");
  return text;
}

function parseDash(text: string): string {
  if (text === "-") return text;
  throw new InvalidArgumentError(
    "A password on the command line could be seen by other users: write `-` and give it on standard input.",
  );
}
