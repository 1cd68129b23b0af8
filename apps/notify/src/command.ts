/** `triptych notify` and its subcommands. */
import { randomUUID } from "node:crypto";
import { ConfigError, readConfig, type Environment } from "@triptych/config";
import { addJsonOption, type Output, printResult, renderTable, widthOf } from "@triptych/terminal";
import { Argument, type Command, Command as CommanderCommand, InvalidArgumentError } from "commander";
import { NotifyConfig } from "./config.ts";
import { eventId, type NotifyEvent } from "./event.ts";
import { listTargetStatus } from "./messages.ts";
import { targetsOf } from "./panel-reader.ts";
import { readRules, RulesError, type Rule, type Rules } from "./rules.ts";
import { type PanelAccess, runNotify } from "./run-notify.ts";
import { locationOf, notifyStore, readFact, replayMessages, storeTargets } from "./store.ts";

export interface NotifyContext {
  readonly environment: Environment;
  /** Address and access token, from the environment or a profile. */
  readonly access: (profile: string | undefined) => PanelAccess;
  readonly stdout: Output;
}

export function notifyCommand(context: NotifyContext): Command {
  const command = new CommanderCommand("notify")
    .description("deliver events of the panel to webhooks, Slack, ntfy and email")
    .exitOverride()
    // `--config` after a subcommand belongs to the subcommand.
    .enablePositionalOptions()
    .addHelpText("after", HELP);
  addConfigOption(command)
    .option("--since <time>", "on the first start, also report events since this time (RFC 3339)", timeIn)
    .option("--profile <name>", "profile to use (default: TRIPTYCH_PROFILE, else the current one)")
    .action(async () => {
      const { config: file, since, profile } = command.opts<RunOptions>();
      const { environment } = context;
      const config = configOrExit(command, environment);
      const rules = rulesOrExit(command, { file: file ?? config.NOTIFY_CONFIG, environment });
      const access = context.access(profile);
      if (access.secret === undefined)
        command.error("error: set PANEL_ACCESS_TOKEN, or sign in with `triptych login <panel-url>`", { exitCode: 2 });
      const stop = new AbortController();
      process.once("SIGTERM", () => stop.abort()).once("SIGINT", () => stop.abort());
      const dataFolder = config.TRIPTYCH_DATA;
      await runNotify({ access, rules, dataFolder, since: since ?? null, signal: stop.signal });
    });
  addTest(command, context);
  addReplay(command, context);
  addStatus(command, context);
  return command;
}

interface RunOptions {
  readonly config?: string;
  readonly since?: number;
  readonly profile?: string;
}

function addTest(notify: Command, { environment, stdout }: NotifyContext): void {
  const command = addConfigOption(
    notify.command("test").description("send a test message to each target of a rule; exit 1 if one rejects it"),
  );
  addJsonOption(command.addArgument(new Argument("<rule>", "name of the rule, or rule-1 for the first"))).action(
    async () => {
      const rules = rulesOf(command, environment);
      const rule = rules.rules.find(({ name }) => name === command.args[0]);
      if (rule === undefined) {
        const names = rules.rules.map(({ name }) => name).join(", ");
        return command.error(`error: there is no rule ${command.args[0]}. Rules: ${names}`, { exitCode: 2 });
      }
      const results = await sendTest(rule, rules.panelUrl ?? environment["PANEL_URL"] ?? "http://127.0.0.1:7001");
      const rows = results.map(({ target, result, error }) => [target, result, error ?? ""]);
      const text = () =>
        renderTable({ heads: ["target", "result", "error"], rows, shrink: ["target"] }, widthOf(stdout));
      printResult(command, stdout, { json: results, text });
      if (results.some(({ result }) => result !== "delivered")) process.exitCode = 1;
    },
  );
}

function sendTest({ name, targets }: Rule, panelUrl: string) {
  const event: NotifyEvent = {
    id: eventId("notify.test", randomUUID()),
    type: "notify.test",
    at: Date.now(),
    repo: null,
    title: "Test message of triptych notify",
    text: `The rule ${name} can reach this target.`,
    path: "/",
    data: { rule: name },
  };
  return Promise.all(
    targets.map(async (target) => {
      const outcome = await target.send({ event, link: `${panelUrl.replace(/\/+$/, "")}/`, now: Date.now() });
      target.close?.();
      return {
        target: target.label,
        result: outcome.kind,
        error: outcome.kind === "delivered" ? null : outcome.error,
      };
    }),
  );
}

function addReplay(notify: Command, { environment, stdout }: NotifyContext): void {
  const command = addConfigOption(
    notify.command("replay").description("resend failed messages; the running process delivers them"),
  )
    .requiredOption("--since <time>", "only messages of events since this time (RFC 3339)", timeIn)
    .option("--all", "also resend delivered messages, with the same IDs", false);
  addJsonOption(command).action(async () => {
    const { since, all } = command.opts<{ readonly since: number; readonly all: boolean }>();
    const rules = rulesOf(command, environment);
    await using database = await notifyStore.open(locationOf(configOrExit(command, environment).TRIPTYCH_DATA));
    await storeTargets(database, rules.targets.values());
    const queued = await replayMessages(database, { since, all, now: Date.now() }, (event) => targetsOf(rules, event));
    printResult(command, stdout, { json: { queued }, text: () => `${queued} messages queued.` });
  });
}

function addStatus(notify: Command, { environment, stdout }: NotifyContext): void {
  const command = addJsonOption(
    notify.command("status").description("show the messages and the last delivery of each target"),
  );
  command.exitOverride().action(async () => {
    const location = locationOf(configOrExit(command, environment).TRIPTYCH_DATA);
    if (!(await notifyStore.exists(location)))
      return printResult(command, stdout, {
        json: { read_at: null, targets: [] },
        text: () => "No outbox yet: `triptych notify` creates it.",
      });
    await using database = await notifyStore.open(location, { readOnly: true });
    const [readAt, targets] = [await readFact(database.db, "read_at"), await listTargetStatus(database)];
    const read_at = readAt === null ? null : new Date(Number(readAt)).toISOString();
    const heads = ["target", "pending", "failed", "delivered", "last delivery", "last error"];
    const rows = targets.map(({ target, pending, failed, delivered, last_delivery_at, last_error }) => [
      target,
      pending,
      failed,
      delivered,
      last_delivery_at ?? "-",
      last_error ?? "-",
    ]);
    const text = () =>
      `Panel last read: ${read_at ?? "never"}\n${renderTable({ heads, rows, shrink: ["target"] }, widthOf(stdout))}`;
    printResult(command, stdout, { json: { read_at, targets }, text });
  });
}

function addConfigOption(command: Command): Command {
  return command
    .exitOverride()
    .option("--config <file>", "file with the rules (default: NOTIFY_CONFIG, else notify.yaml)");
}

function rulesOf(command: Command, environment: Environment): Rules {
  const { config: file } = command.opts<{ readonly config?: string }>();
  return rulesOrExit(command, { file: file ?? configOrExit(command, environment).NOTIFY_CONFIG, environment });
}

function rulesOrExit(
  command: Command,
  { file, environment }: { readonly file: string; readonly environment: Environment },
): Rules {
  try {
    return readRules(file, environment);
  } catch (error) {
    if (error instanceof RulesError) return command.error(`error: ${error.message}`, { exitCode: 2 });
    throw error;
  }
}

function configOrExit(command: Command, environment: Environment): NotifyConfig {
  try {
    return readConfig(NotifyConfig, environment);
  } catch (error) {
    if (error instanceof ConfigError) return command.error(error.message, { exitCode: 2 });
    throw error;
  }
}

function timeIn(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("Expected a time such as 2026-11-26T08:00:00Z.");
  return time;
}

const HELP = `
The address of the panel and an access token with the scope read come from PANEL_URL and PANEL_ACCESS_TOKEN, or from a
profile of \`triptych login\`. Secrets of targets come from variables or files that the rules name.

Examples:
  triptych notify --config notify.yaml
  triptych notify test failures
  triptych notify replay --since 2026-11-26T08:00:00Z
  triptych notify status --json

docs/notifications.md describes the rules, the messages and how to verify their signatures.`;
