/**
 * Texts generated from the variables: the table of `triptych config`, `.env.example`, and the reference in
 * docs/operators.md.
 */
import type { Setting, Variable } from "@triptych/config";
import { groupVariables, type Group, type Shared } from "./settings.ts";

const VALUE_WIDTH = 32;

export function settingsTable(settings: readonly Shared<Setting>[]): string {
  const width = Math.max(...settings.map(({ name }) => name.length));
  const line = ({ name, value, source, meaning, file, isValid }: Shared<Setting>) => {
    const from = source === "file" ? `file ${file}` : source;
    const state = isValid ? "" : "INVALID: ";
    return `  ${name.padEnd(width)}  ${(value ?? "-").padEnd(VALUE_WIDTH)}  ${from.padEnd(18)}  ${state}${meaning}`;
  };
  return groupVariables(settings)
    .map(({ readBy, variables }) => `${readBy.join(", ")}\n${variables.map(line).join("\n")}\n`)
    .join("\n");
}

const EXAMPLE_HEAD = `# Every variable, with its default. Written by \`npm run settings\`; docs/operators.md describes them.
# Remove the "# " of a line to set it. \`triptych config\` prints the values in force and where they come from.
`;

export function exampleFile(variables: readonly Shared<Variable>[]): string {
  const line = ({ name, meaning, default: value, unset, file }: Variable) => {
    const otherwise = unset ?? (file === null ? null : `the file ${file} in the data folder`);
    const note = value === null && otherwise !== null ? ` (unset: ${otherwise.replaceAll("`", "")})` : "";
    return `# ${meaning}${note}\n# ${name}=${quoted(value ?? "")}\n`;
  };
  const section = ({ readBy, variables: own }: Group<Variable>) =>
    `\n## ${readBy.join(", ")}\n${own.map(line).join("")}`;
  return EXAMPLE_HEAD + groupVariables(variables).map(section).join("");
}

/** Parsers of `.env` files differ in how they treat quotes; all of them leave JSON in single quotes unchanged. */
function quoted(value: string): string {
  return /[\s"#$\\]/.test(value) ? `'${value}'` : value;
}

export const REFERENCE_START = "<!-- variables: written by `npm run settings` -->";
export const REFERENCE_END = "<!-- end of variables -->";

/** The page with its reference replaced. */
export function withReference(page: string, variables: readonly Shared<Variable>[]): string {
  const [start, end] = [page.indexOf(REFERENCE_START), page.indexOf(REFERENCE_END)];
  if (start < 0 || end < start) throw new Error("docs/operators.md does not contain the markers around the variables.");
  return `${page.slice(0, start)}${REFERENCE_START}\n${reference(variables)}\n${page.slice(end)}`;
}

function reference(variables: readonly Shared<Variable>[]): string {
  const section = ({ readBy, variables: own }: Group<Variable>) =>
    `\n**${readBy.join(", ")}**\n\n| Variable | Default | Meaning |\n|---|---|---|\n${own.map(row).join("\n")}\n`;
  return groupVariables(variables).map(section).join("");
}

function row({ name, default: value, unset, file, meaning, details }: Variable): string {
  const otherwise = unset ?? (file === null ? "unset" : `the file \`${file}\` in the data folder`);
  const about = details === null ? meaning : `${meaning}. ${details}`;
  return `| \`${name}\` | ${value === null ? otherwise : `\`${value}\``} | ${about.replaceAll("|", "\\|")} |`;
}
