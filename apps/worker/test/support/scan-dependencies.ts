/** Scans of dependencies with a loopback registry. */
import type { Found } from "../../src/scouts/scan/check.ts";
import { depsOutdated } from "../../src/scouts/scan/deps-outdated.ts";
import { createRegistry, type Advisories } from "../../src/scouts/scan/registry.ts";
import { inFolder, type Files } from "./inspect.ts";
import { startNpmRegistry, type Published } from "./npm-registry.ts";
import { NO_TOOLS } from "./no-tools.ts";

export const TODAY = Date.UTC(2026, 10, 27);

interface Scan {
  readonly days?: number;
  readonly group?: "none" | "minor" | "all";
  readonly check?: typeof depsOutdated;
  /** The bulk answer of the registry. */
  readonly advisories?: Advisories;
}

export async function scanned(
  files: Files,
  packages: Readonly<Record<string, Published>>,
  { days = 7, group = "minor", check = depsOutdated, advisories = {} }: Scan = {},
  address?: string,
): Promise<Found> {
  await using registry = await startNpmRegistry(packages, TODAY);
  return await inFolder(files, (tree) =>
    check.run({
      tree,
      verifyCommand: null,
      verifyTimeoutS: 60,
      verifyTwice: async () => [],
      blame: async () => new Map(),
      today: TODAY,
      registry: async () => ({
        ...createRegistry(address ?? registry.address, fetch),
        advisories: async () => advisories,
      }),
      fetch: null,
      deps: { minReleaseAgeDays: days, group },
      ...NO_TOOLS,
    }),
  );
}

export const gatesOf = ({ findings }: Found) => findings.map(({ gate }) => gate.command.replace("triptych gate ", ""));
export const titlesOf = ({ findings }: Found) => findings.map(({ title }) => title);

/** A manifest of a real shape, with the lock file that npm writes for it. */
export function project(
  dependencies: Readonly<Record<string, string>>,
  locked: Readonly<Record<string, string>>,
): Files {
  return {
    "package.json": JSON.stringify({ name: "app", private: true, dependencies }, null, 2),
    "package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "": { name: "app", dependencies },
        ...Object.fromEntries(Object.entries(locked).map(([name, version]) => [`node_modules/${name}`, { version }])),
      },
    }),
  };
}
