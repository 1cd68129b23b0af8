import { adminListKeys, adminRevokeKey, adminRotateKeys, type AnswerOf } from "@triptych/contracts";
import {
  addJsonOption,
  addYesOption,
  confirmOrRefuse,
  printResult,
  renderTable,
  timeText,
  widthOf,
} from "@triptych/terminal";
import { InvalidArgumentError, type Command, Argument } from "commander";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import { say, type CliContext } from "./cli-context.ts";
import { generateKey, SERVICE_FORM } from "@triptych/api-keys";
import { ADMIN_FORM, READ_FORM } from "../access.ts";

interface RevokeOptions extends OperatorOptions {
  readonly notAfter?: string;
}

export function addKeyCommands(rail: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  const keys = rail.command("keys").description("list, rotate and revoke the signing keys of receipts");

  addJsonOption(keys.command("list"))
    .description("list signing keys, newest first; receipts verify under every key that is not revoked")
    .action(async (_options, command: Command) => {
      const { body } = await withOperator(context, (client) => client.call(adminListKeys, {}));
      printResult(command, stdout, { json: body.items, text: () => tableOf(body, widthOf(stdout)) });
    });

  const rotate = addJsonOption(keys.command("rotate"));
  withReason(rotate.description("publish a new signing key; it becomes active after 24 h")).action(
    async (options: OperatorOptions, command: Command) => {
      const body = actOf(options, context, command);
      const done = await withOperator(context, (client) => client.call(adminRotateKeys, { body }));
      printResult(command, stdout, { json: done.body.items, text: () => tableOf(done.body, widthOf(stdout)) });
    },
  );

  withReason(
    addYesOption(addJsonOption(keys.command("revoke")))
      .description("revoke a compromised key; signatures made after --not-after become invalid")
      .argument("<kid>", "key ID, see `keys list`")
      .option("--not-after <time>", "time of the compromise, such as 2026-11-21T12:00:00Z (default: now)", parseTime),
  ).action(async (id: string, { notAfter, ...options }: RevokeOptions, command: Command) => {
    const act = actOf(options, context, command);
    await confirmOrRefuse(command, `Revoke ${id} permanently?`);
    const body = { ...act, ...(notAfter !== undefined && { not_after: notAfter }) };
    const done = await withOperator(context, (client) => client.call(adminRevokeKey, { params: { id }, body }));
    printResult(command, stdout, { json: done.body.items, text: () => tableOf(done.body, widthOf(stdout)) });
    say(stderr, "Notify everyone who verifies receipts: /.well-known/revoked-keys.json lists the key and the time.");
  });
}

function tableOf({ items }: AnswerOf<typeof adminListKeys>, width: number): string {
  const heads = ["kid", "state", "active from", "until"];
  const rows = items.map(({ kid, state, active_from, retired_at, not_after }) => {
    const until = not_after ?? retired_at;
    return [kid, state, timeText(Date.parse(active_from)), timeText(until === null ? null : Date.parse(until))];
  });
  return renderTable({ heads, rows }, width);
}

function parseTime(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError("Expected a timestamp such as 2026-11-21T12:00:00Z.");
  return new Date(time).toISOString();
}

const TOKENS = {
  admin: { form: ADMIN_FORM, variable: "RAIL_ADMIN_TOKEN", whom: "the rail" },
  read: { form: READ_FORM, variable: "RAIL_ADMIN_READ_TOKEN", whom: "the rail" },
  service: { form: SERVICE_FORM, variable: "RAIL_SERVICE_TOKEN", whom: "the rail and every gateway" },
} as const;

/** `token …`: prints a new token once. It takes effect when the rail starts with it. */
export function addTokenCommand(rail: Command, { stdout, stderr, random }: CliContext): void {
  addJsonOption(rail.command("token"))
    .description("create a token for the operator, for reading only, or for gateways, and print it")
    .addArgument(new Argument("<kind>", "whose").choices(Object.keys(TOKENS)))
    .action((kind: keyof typeof TOKENS, _options, command: Command) => {
      const { form, variable, whom } = TOKENS[kind];
      const token = generateKey(form, random);
      printResult(command, stdout, { json: { kind, variable, token }, text: () => token });
      say(stderr, `Start ${whom} with ${variable} set to the token above. It is not stored and cannot be shown again.`);
    });
}
