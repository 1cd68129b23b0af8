/** Versions of the tools that a setup command may use: another version may install something else. */
import { realpath, stat } from "node:fs/promises";
import type { Programs } from "../agents/find-program.ts";

export type ToolVersions = (command: string) => Promise<Readonly<Record<string, string>>>;

interface Tools {
  readonly named: RegExp;
  readonly tools: readonly string[];
}

const NODE: Tools = {
  named: /\b(?:npm|npx|node|pnpm|yarn|corepack|bun)\b/,
  tools: ["node", "npm", "pnpm", "yarn", "bun"],
};
const PYTHON: Tools = { named: /\b(?:pip3?|python3?|uv|poetry|pdm|tox)\b/, tools: ["python3", "uv", "poetry"] };
const OTHERS: readonly Tools[] = [
  { named: /\bgo\b/, tools: ["go"] },
  { named: /\b(?:cargo|rustup)\b/, tools: ["cargo", "rustc"] },
  { named: /\b(?:bundle|gem)\b/, tools: ["ruby"] },
  { named: /\bcomposer\b/, tools: ["php", "composer"] },
];
const FAMILIES = [NODE, PYTHON, ...OTHERS];
const VERSION_MS = 20_000;

/** Each program file is queried once; a changed file has another size or time. */
export function createToolVersions({ find, printed }: Pick<Programs, "find" | "printed">): ToolVersions {
  const known = new Map<string, Promise<string>>();

  return async (command) => {
    const named = FAMILIES.filter((family) => family.named.test(command));
    const tools = (named.length === 0 ? FAMILIES : named).flatMap((family) => family.tools);
    const versions = await Promise.all(tools.map(async (tool) => [tool, await versionOf(tool)] as const));
    return Object.fromEntries(versions);
  };

  async function versionOf(tool: string): Promise<string> {
    const program = await find(tool);
    if (program === undefined) return "none";
    const file = await realpath(program);
    const { size, mtimeMs } = await stat(file);
    const identity = `${tool} ${file} ${size} ${mtimeMs}`;
    const version = known.get(identity) ?? query(tool, program);
    known.set(identity, version);
    return `${identity} ${await version}`;
  }

  async function query(tool: string, program: string): Promise<string> {
    const argv = [program, tool === "go" ? "version" : "--version"];
    return ((await printed(argv, { timeoutMs: VERSION_MS })) ?? "unknown").trim();
  }
}
