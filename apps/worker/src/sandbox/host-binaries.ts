/**
 * Host programs that a sandbox needs inside an image, which may have another C library, or none. Each is mounted under `/run/triptych` with
 * its libraries and started by the host's loader.
 */
import { execFile } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { SandboxLaunchers } from "./sandbox.ts";

export interface HostPrograms {
  /** Arguments for `bwrap`. */
  readonly args: readonly string[];
  readonly starters: SandboxLaunchers;
}

const INSIDE = "/run/triptych";
/** The folder of the `triptych` for gates inside: `bin-in-image/triptych` names the same paths. */
export const SANDBOX_GATE_PATH = `${INSIDE}/worker/src/scouts/gate-command/bin-in-image`;

const OWN = fileURLToPath(new URL("../../", import.meta.url));
/** Where the libraries that gates import are installed. */
export const LIBRARIES = fileURLToPath(new URL("../", import.meta.resolve("semver/package.json")));

/** Throws if a program is linked in an unknown way. */
export async function hostPrograms(prlimit: string): Promise<HostPrograms> {
  const programs = { prlimit, node: process.execPath };
  const links = await Promise.all(Object.values(programs).map(linksOf));
  const loader = links[1]?.loader;
  const libraries = new Map(links.flatMap(({ libraries }) => [...libraries]));
  if (loader === undefined || links.some((link) => link.loader !== loader))
    throw new Error(`${programs.node} and ${prlimit} use different loaders: they cannot be mounted in an image.`);
  const launcherOf = (name: keyof typeof programs) => [
    `${INSIDE}/loader`,
    "--library-path",
    `${INSIDE}/lib`,
    `${INSIDE}/${name}`,
  ];
  const files: readonly (readonly [string, string])[] = [
    [loader, "loader"],
    ...[...libraries].map(([name, path]) => [path, `lib/${name}`] as const),
    ...Object.entries(programs).map(([name, path]) => [path, name] as const),
    [`${OWN}src`, "worker/src"],
    [`${OWN}package.json`, "worker/package.json"],
    [LIBRARIES, "node_modules"],
  ];
  return {
    args: files.flatMap(([path, name]) => ["--ro-bind", path, `${INSIDE}/${name}`]),
    starters: {
      prlimit: launcherOf("prlimit"),
      node: launcherOf("node"),
      forwarder: `${INSIDE}/worker/src/sandbox/forwarder.mjs`,
    },
  };
}

interface Links {
  readonly loader: string | undefined;
  readonly libraries: ReadonlyMap<string, string>;
}

const LIMIT_MS = 10_000;

/** Output of `ldd`: `name => /path (0x…)`, and the loader by its path alone. The kernel's vDSO has no path. */
async function linksOf(program: string): Promise<Links> {
  const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
  const execution = promisify(execFile)("ldd", [program], { env: environment, timeout: LIMIT_MS });
  // The output for a static program.
  const { stdout } = await execution.catch(() => ({ stdout: "" }));
  const libraries = new Map<string, string>();
  let loader: string | undefined;
  for (const line of stdout.split("\n")) {
    const [, named = "", path = named] = /^\s*(\S+)(?: => (\S+))? \(0x[0-9a-f]+\)$/.exec(line) ?? [];
    if (named.startsWith("/")) loader = path;
    else if (path.startsWith("/")) libraries.set(basename(named), path);
  }
  return { loader, libraries };
}
