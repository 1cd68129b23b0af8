import { adminConfirmClock, adminGetClock, type AnswerOf } from "@triptych/contracts";
import { addJsonOption, printResult } from "@triptych/terminal";
import type { Command } from "commander";
import { withOperator } from "./operator-client.ts";
import { actOf, withReason, type OperatorOptions } from "./operator-options.ts";
import type { CliContext } from "./cli-context.ts";

export function addClockCommands(rail: Command, context: CliContext): void {
  const { stdout } = context;
  const clock = rail.command("clock").description("show or confirm the system clock");

  addJsonOption(clock.command("show"))
    .description("show the system clock, the ledger time and whether expiry is suspended")
    .action(async (_options, command: Command) => {
      const { body } = await withOperator(context, (client) => client.call(adminGetClock, {}));
      printResult(command, stdout, { json: body, text: () => describe(body) });
    });

  const confirm = addJsonOption(clock.command("confirm"));
  withReason(confirm.description("confirm that the system clock is right and resume expiry")).action(
    async (options: OperatorOptions, command: Command) => {
      const body = actOf(options, context, command);
      const done = await withOperator(context, (client) => client.call(adminConfirmClock, { body }));
      printResult(command, stdout, { json: done.body, text: () => describe(done.body) });
    },
  );
}

const STATES = {
  trusted: "trusted",
  ahead: "ahead of the ledger by more than a day; expiry suspended until confirmed",
  behind: "behind the ledger by more than 5 min; expiry suspended until confirmed",
} as const;

function describe({ state, clock_at, ledger_at }: AnswerOf<typeof adminGetClock>): string {
  const rows = [
    ["state", STATES[state]],
    ["clock", clock_at],
    ["ledger", ledger_at],
  ];
  return rows.map(([name = "", value]) => `${name.padEnd(7)} ${value}`).join("\n");
}
