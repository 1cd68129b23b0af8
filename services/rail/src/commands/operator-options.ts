/**
 * Operator and reason, which every command that moves money or changes state requires. The ledger stores both
 * permanently.
 */
import { OPERATOR_MAX, REASON_MAX } from "@triptych/contracts";
import type { Command } from "commander";
import { usageError, type CliContext } from "./cli-context.ts";

export interface OperatorOptions {
  readonly reason: string;
  readonly operator?: string;
}

export function withReason(command: Command): Command {
  return command
    .requiredOption("--reason <text>", "reason, stored in the ledger")
    .option("--operator <name>", "name of the operator (default: your user name)");
}

export function actOf({ reason, operator }: OperatorOptions, { user }: CliContext, command: Command) {
  const act = { operator: operator ?? user, reason };
  if (act.operator.length === 0 || act.operator.length > OPERATOR_MAX)
    usageError(command, `--operator must have 1 to ${OPERATOR_MAX} characters`);
  if (reason.trim() === "" || reason.length > REASON_MAX)
    usageError(command, `--reason must have 1 to ${REASON_MAX} characters`);
  return act;
}
