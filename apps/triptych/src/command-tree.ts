/**
 * Names, options and help texts of all commands, as data. Help and completion read them from `command-tree.json` and
 * load no service. `npm run commands` writes the file; `npm run check` compares it with the commands.
 */
import { readFileSync } from "node:fs";
import { Argument, Command, Option } from "commander";

export interface CommandNode {
  readonly name: string;
  readonly description: string;
  /** Heading in the list of commands. */
  readonly group: string;
  readonly arguments: readonly ValueNode[];
  readonly options: readonly (ValueNode & { readonly hidden: boolean; readonly mandatory: boolean })[];
  readonly commands: readonly CommandNode[];
  /** Text after the generated help. */
  readonly after: string;
}

interface ValueNode {
  /** `<file>`, or the flags of an option. */
  readonly name: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly defaultText?: string;
}

const FILE = new URL("command-tree.json", import.meta.url);

export function readCommandTree(): readonly CommandNode[] {
  // No schema check: `npm run commands` writes the file, and `npm run check` compares it.
  return JSON.parse(readFileSync(FILE, "utf8")) as readonly CommandNode[];
}

export function describeCommand(command: Command): CommandNode {
  return {
    name: command.name(),
    description: command.description(),
    group: command.helpGroup(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argumentName(argument),
      ...valueOf(argument),
    })),
    options: command.options.map((option) => ({
      name: option.flags,
      ...valueOf(option),
      hidden: option.hidden,
      mandatory: option.mandatory,
    })),
    commands: command.commands.map(describeCommand),
    after: textAfterHelp(command),
  };
}

function argumentName(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function valueOf({ description, argChoices, defaultValue, defaultValueDescription }: Argument | Option) {
  const value: unknown = defaultValue;
  return {
    description,
    ...(argChoices !== undefined && { choices: argChoices }),
    // A default with its own description may depend on the machine, such as the host name.
    ...(value !== undefined && { default: defaultValueDescription === undefined ? value : null }),
    ...(defaultValueDescription !== undefined && { defaultText: defaultValueDescription }),
  };
}

function textAfterHelp(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text.slice(command.helpInformation().length);
}

/** A command with the same help. `onRun` is called where the real command would run. */
export function commandFrom(node: CommandNode, onRun: () => void): Command {
  const command = new Command(node.name).description(node.description).helpGroup(node.group).exitOverride();
  for (const { name, ...value } of node.arguments)
    command.addArgument(withValue(new Argument(name, value.description), value));
  for (const { name, hidden, mandatory, ...value } of node.options) {
    const option = withValue(new Option(name, value.description), value).hideHelp(hidden);
    command.addOption(option.makeOptionMandatory(mandatory));
  }
  for (const child of node.commands) command.addCommand(commandFrom(child, onRun));
  if (node.after !== "") command.addHelpText("after", node.after.replace(/\n$/, ""));
  if (node.commands.length === 0 || node.options.length > 0) command.action(onRun);
  return command;
}

function withValue<T extends Argument | Option>(
  target: T,
  { choices, default: value, defaultText }: Partial<ValueNode>,
): T {
  if (choices !== undefined) target.choices(choices);
  if (value !== undefined) target.default(value, defaultText);
  return target;
}
