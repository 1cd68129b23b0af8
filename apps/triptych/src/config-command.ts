/** `triptych config`: every variable with its value and its source. Loads no service. */
import { existsSync } from "node:fs";
import type { Environment } from "@triptych/config";
import { Argument, Command } from "commander";
import { settingsTable } from "./settings-text.ts";
import { CONFIGURABLE, loadSettings, mergeVariables, type ConfigurableName } from "./settings.ts";

export function configCommand(environment: Environment): Command {
  return new Command("config")
    .description("print every variable with its value, source and service; secrets are masked")
    .exitOverride()
    .addArgument(
      new Argument("[services...]", "services whose variables are printed (default: all)").choices(CONFIGURABLE),
    )
    .option("--json", "print JSON", false)
    .addHelpText("after", HELP)
    .action((names: ConfigurableName[], { json }: { readonly json: boolean }) => printConfig(names, json, environment));
}

async function printConfig(names: readonly ConfigurableName[], json: boolean, environment: Environment): Promise<void> {
  const all = await loadSettings();
  const chosen = names.length === 0 ? all : all.filter(({ service }) => names.some((name) => name === service));
  const issues = [...new Set(chosen.flatMap((settings) => settings.issuesOf(environment)))];
  const known = new Set(all.flatMap(({ variables }) => variables.map(({ name }) => name)));
  const unknown = unknownVariables(environment, known);
  const settings = mergeVariables(
    chosen.map((one) => ({ service: one.service, variables: one.read(environment, existsSync) })),
  );
  if (json) {
    const variables = settings.map(({ name, value, source, readBy, meaning, default: fallback, isValid }) => {
      return { name, value, source, services: readBy, meaning, default: fallback, valid: isValid };
    });
    process.stdout.write(`${JSON.stringify({ variables, issues, unknown }, null, 2)}\n`);
  } else {
    process.stdout.write(settingsTable(settings));
  }
  for (const name of unknown) process.stderr.write(`Unknown variable ${name}: no service reads it.\n`);
  if (issues.length === 0) return;
  process.stderr.write(`Invalid environment. Correct or unset:\n${issues.map((issue) => `  ${issue}\n`).join("")}`);
  process.exitCode = 2;
}

/** Names with a Triptych prefix that no service reads: mistyped, or from another version. */
function unknownVariables(environment: Environment, known: ReadonlySet<string>): readonly string[] {
  return Object.keys(environment)
    .filter((name) => /^(TRIPTYCH|PANEL|DIRECTORY|GATEWAY|ROUTER|RAIL|WORKER|MCP)_[A-Z]/.test(name) && !known.has(name))
    .sort();
}

const HELP = `
Sources: environment, default, file (generated in the data folder), unset.
Exit code: 0, or 2 with every invalid variable on stderr.

Examples:
  triptych config
  triptych config gateway rail --json`;
