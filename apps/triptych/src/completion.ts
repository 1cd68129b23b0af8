/**
 * `triptych completion`: completion scripts for shells, generated from the command tree. Pressing Tab starts no
 * process.
 */
import { Argument, Command } from "commander";
import { readCommandTree, type CommandNode } from "./command-tree.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function completionCommand(): Command {
  return new Command("completion")
    .description("print a completion script for a shell")
    .exitOverride()
    .addArgument(new Argument("<shell>", "shell").choices(SHELLS))
    .addHelpText("after", HELP)
    .action((shell: Shell) => void process.stdout.write(completionFor(shell)));
}

export function completionFor(shell: Shell): string {
  const levels = levelsOf("", readCommandTree(), []);
  if (shell === "fish") return fishScript(levels);
  const zsh = shell === "zsh" ? "autoload -U +X compinit bashcompinit\ncompinit\nbashcompinit\n" : "";
  return `${zsh}${bashScript(levels)}`;
}

interface Word {
  readonly word: string;
  readonly description: string;
}

/** Words that may follow a command. */
interface Level {
  /** Names of the command and those above it, separated by spaces. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly (Word & { readonly choices: readonly string[] })[];
  /** Values of the first argument. */
  readonly values: readonly string[];
}

function levelsOf(
  path: string,
  commands: readonly CommandNode[],
  options: Level["options"],
  values: readonly string[] = [],
): Level[] {
  const words = commands.map(({ name, description }) => ({ word: name, description }));
  const help = { word: "--help", description: "display help", choices: [] };
  const below = commands.flatMap((node) =>
    levelsOf(`${path} ${node.name}`.trim(), node.commands, optionsOf(node), node.arguments[0]?.choices),
  );
  return [{ path, commands: words, options: [...options, help], values }, ...below];
}

function optionsOf({ options }: CommandNode): Level["options"] {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ name, description, choices = [] }) => ({
      word: /--[\w-]+/.exec(name)?.[0] ?? name,
      description,
      choices,
    }));
}

function bashScript(levels: readonly Level[]): string {
  const paths = levels.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  const words = levels.map(({ path, commands, options, values }) => {
    const all = [...commands, ...options].map(({ word }) => word);
    return `    "${path}") words="${[...all, ...values].join(" ")}" ;;`;
  });
  const choices = levels.flatMap(({ path, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map((option) => `    "${path} ${option.word}") words="${option.choices.join(" ")}" ;;`),
  );
  return `_triptych() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" index next
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
    ${paths.join("|")}) path="$next" ;;
    esac
  done
  case "$path" in
${words.join("\n")}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _triptych triptych
`;
}

function fishScript(levels: readonly Level[]): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const paths = levels.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  const lines = levels.flatMap(({ path, commands, options, values }) => {
    const at = `complete -c triptych -n ${quoted(`test "$(__triptych_path)" = "${path}"`)}`;
    return [
      ...commands.map(({ word, description }) => `${at} -f -a ${word} -d ${quoted(description)}`),
      ...values.map((value) => `${at} -f -a ${quoted(value)}`),
      ...options.map(({ word, description, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : "";
        return `${at} -l ${word.replace(/^--/, "")} -d ${quoted(description)}${value}`;
      }),
    ];
  });
  return `set -g __triptych_paths ${paths.join(" ")}
function __triptych_path
  set -l path
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    contains -- "$next" $__triptych_paths; and set path $next
  end
  echo "$path"
end
${lines.join("\n")}
`;
}

const HELP = `
Examples:
  source <(triptych completion bash)                                   in ~/.bashrc
  source <(triptych completion zsh)                                    in ~/.zshrc
  triptych completion fish > ~/.config/fish/completions/triptych.fish`;
