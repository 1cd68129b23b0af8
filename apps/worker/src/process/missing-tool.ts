/**
 * Tells a failed check from one that could not run because a program or package is missing. Used at the base only: after a change, the
 * agent may have caused the same output.
 */
import { readdir } from "node:fs/promises";

export interface CommandResult {
  /** Null if a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly output: string;
}

/** Folders at the root of a tree: an import may start with them. */
export async function foldersOf(tree: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(tree, { withFileTypes: true });
  return new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
}

/** The missing item, as a phrase such as `go: not found`; null if the command ran, or the cause is unclear. */
export function missingTool(result: CommandResult, ownFolders: ReadonlySet<string> = new Set()): string | null {
  const program = missingProgram(result);
  if (program !== null) return program;
  if (result.exitCode === null || result.exitCode === 0 || hasRunTests(result.output)) return null;
  return missingPackage(result.output, ownFolders);
}

/** The stricter test: the command, or a program that it starts, is missing or not executable. */
export function missingProgram({ exitCode, output }: CommandResult): string | null {
  if (exitCode === null || exitCode === 0) return null;
  const isShell = exitCode === 126 || exitCode === 127;
  if (!isShell && (hasRunTests(output) || !PROGRAM_SIGNS.some((sign) => sign.test(output)))) return null;
  for (const [pattern, reason] of PROGRAMS) {
    const name = pattern.exec(output)?.[1];
    if (name !== undefined) return `${lastPart(name)}: ${reason}`;
  }
  return exitCode === 126 ? "permission denied" : "command not found";
}

/** Messages of a wrapper (make, pnpm, npx, yarn, rustup) with its own exit code. */
const PROGRAM_SIGNS = [
  /\bError 12[67]\b/,
  /^(?:\/bin\/)?(?:sh|bash): (?:line )?(?:\d+: )?[\w@./+-]+: (?:command )?not found$/m,
  /^command not found: [\w@./+-]+$/m,
  /npx canceled due to missing packages/,
  /could not determine executable to run/,
  /^error: no such command: /m,
  /^error: toolchain '[^']+' is not installed/m,
  /^error: rustup could not choose a version of [\w-]+ to run/m,
  /ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL.*Command "[^"]+" not found/,
];

const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/^\S*sh: (?:line )?(?:\d+: )?([\w@./+-]+): (?:command )?not found$/m, "not found"],
  [/^\S*sh: (?:line )?(?:\d+: )?([\w@./+-]+): Permission denied$/im, "permission denied"],
  [/^\S*sh: (?:line )?(?:\d+: )?([\w@./+-]+): No such file or directory$/m, "not found"],
  [/^make(?:\[\d+\])?: ([\w@./+-]+): No such file or directory$/m, "not found"],
  [/^env: [‘'`]?([\w@./+-]+?)[’'`]?: No such file or directory$/m, "not found"],
  [/command not found: ([\w@./+-]+)/, "not found"],
  [/Command "([\w@./+-]+)" not found/, "not found"],
  [/missing packages and no YES option: \["([^"]+)"/, "not installed"],
  [/^error: no such command: `([^`]+)`/m, "not found"],
  [/^error: toolchain '([^']+)' is not installed/m, "toolchain not installed"],
  [/^error: rustup could not choose a version of ([\w-]+) to run/m, "no Rust toolchain is chosen"],
];

/** If some tests passed, the suite can run, and a missing item only makes one test fail. */
function hasRunTests(output: string): boolean {
  return TESTS_RAN.some((sign) => sign.test(output));
}

const TESTS_RAN = [
  /\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b/i,
  /^# pass +[1-9]/m,
  /^(?:ℹ )?pass [1-9]/m,
  /^ok [1-9]\d*\b/m,
  /^--- PASS: /m,
  /^ok  \t/m,
  /Passed:\s+[1-9]/,
];

/** By the interpreter or tool that reports it; the group is the missing name. */
const PACKAGES = {
  node: [
    /Cannot find (?:module|package) ['"]([^'"]+)['"]/g,
    /Failed to resolve import "([^"]+)"/g,
    /Preset ([\w@/.-]+) not found\./g,
  ],
  python: [/No module named '?([\w.]+)'?/g],
  go: [
    /no required module provides package ([^\s;:]+)/g,
    /missing go\.sum entry for module providing package ([^\s;:]+)/g,
    /go: ([\w./-]+@\S+): Get "[^"]+": (?:dial tcp|proxyconnect)/g,
    /go: download (go\S+) for \S+: toolchain not available/g,
  ],
  cargo: [/error: (?:failed to get|no matching package named) `([\w-]+)`/g],
} as const;

function missingPackage(output: string, ownFolders: ReadonlySet<string>): string | null {
  for (const [, name] of matches(PACKAGES.node, output))
    if (name !== undefined && isNodePackage(name, ownFolders)) return `package ${name} is not installed`;
  for (const [, name] of matches(PACKAGES.python, output))
    // A dotted name is a submodule of an installed package.
    if (name !== undefined && !name.includes(".")) return `Python module ${name} is not installed`;
  for (const [, name] of matches(PACKAGES.go, output))
    if (name !== undefined) return `Go module or toolchain ${name} is not available`;
  for (const [, name] of matches(PACKAGES.cargo, output))
    if (name !== undefined) return `crate ${name} is not available`;
  return null;
}

function matches(patterns: readonly RegExp[], output: string): readonly RegExpMatchArray[] {
  return patterns.flatMap((pattern) => [...output.matchAll(pattern)]);
}

const NODE_PACKAGE = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*(?:\/|$)/i;

/** Whether a name is that of a package rather than a file of the project: no path, private import, alias, or root folder of a `baseUrl`. */
function isNodePackage(name: string, ownFolders: ReadonlySet<string>): boolean {
  if (name.startsWith("~") || name.includes(":") || !NODE_PACKAGE.test(name)) return false;
  return !ownFolders.has(name.split("/")[0] ?? "");
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A message for people: the missing item, the exit code, and the remedy. */
export function missingMessage(check: string, missing: string, exitCode: number | null): string {
  const advice = missing.startsWith("package ") || missing.startsWith("Python module ") ? INSTALL : PROVIDE;
  return `the ${check} cannot run: ${missing} (exit code ${exitCode}). ${advice}, or change the ${check}.`;
}

const INSTALL = "Set a setup command that installs it";
const PROVIDE = "Install it on the worker or in the setup command";
