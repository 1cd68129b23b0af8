import semver from "semver";
import { isAtLeast, MANIFEST, readManifest, type Manifest, type VersionRequirement } from "../reading/npm-packages.ts";
import { readFolder } from "../reading/tree.ts";
import { AT_BASE, GATE_AT, type GateDefinition, type GateRequest } from "./gate-protocol.ts";

export const dependencyGate: GateDefinition = {
  usage: "dep-at-least <name> <version>… [--everywhere] [--in <manifest>]… [--min-age <days>]",
  about:
    "package.json and the lock file require at least this version; --everywhere: every copy has it; --in: check this manifest; --min-age: newer versions must be this old",
  async ask({ args, folder, environment }) {
    const requirements = parseRequirements(args);
    if (requirements === null) return null;
    const tree = await readFolder(folder);
    const manifests = new Map<string, Manifest>();
    for (const path of new Set(requirements.map(({ manifest }) => manifest))) {
      const manifest = await readManifest(tree, path);
      if (manifest === null) return { code: 1, message: `${path} is missing or invalid.` };
      manifests.set(path, manifest);
    }
    const releaseAge = createReleaseAge(environment);
    const answers: Answer[] = [];
    for (const requirement of requirements) {
      const manifest = manifests.get(requirement.manifest);
      if (manifest !== undefined) answers.push(await describe(manifest, requirement, releaseAge));
    }
    const red = answers.filter(({ isMet }) => !isMet);
    const messages = new Set((red.length === 0 ? answers : red).map(({ message }) => message));
    return { code: red.length === 0 ? 0 : 1, message: [...messages].join(" ") };
  },
};

/** The packages and versions after `dep-at-least`, for each manifest; null if the arguments are invalid. */
export function parseRequirements(args: readonly string[]): readonly VersionRequirement[] | null {
  const firstOption = args.findIndex((arg) => arg.startsWith("--"));
  const pairs = firstOption === -1 ? args : args.slice(0, firstOption);
  const options = parseOptions(firstOption === -1 ? [] : args.slice(firstOption));
  if (options === null || pairs.length === 0 || pairs.length % 2 === 1) return null;
  const { isEverywhere, minAgeDays, manifests } = options;
  const requirements: VersionRequirement[] = [];
  for (const manifest of manifests)
    for (let at = 0; at < pairs.length; at += 2) {
      const [name, version] = [pairs[at], pairs[at + 1]];
      if (name === "" || semver.valid(version) === null) return null;
      requirements.push({ name, version, isEverywhere, minAgeDays, manifest });
    }
  return requirements;
}

function parseOptions(args: readonly string[]) {
  const manifests: string[] = [];
  let [isEverywhere, minAgeDays] = [false, 0];
  for (let at = 0; at < args.length; at++) {
    const value = args[at + 1] ?? "";
    if (args[at] === "--everywhere") isEverywhere = true;
    else if (args[at] === "--in" && value !== "") manifests.push(args[++at] ?? "");
    else if (args[at] === "--min-age" && /^\d{1,3}$/.test(value)) minAgeDays = Number(args[++at]);
    else return null;
  }
  return { isEverywhere, minAgeDays, manifests: manifests.length === 0 ? [MANIFEST] : manifests };
}

interface Answer {
  readonly isMet: boolean;
  readonly message: string;
}

async function describe(manifest: Manifest, requirement: VersionRequirement, releaseAge: ReleaseAge): Promise<Answer> {
  const { name, version, minAgeDays } = requirement;
  const answer = isAtLeast(manifest, requirement);
  if (answer === null) return { isMet: true, message: `${name} is not a dependency.` };
  if (!answer) return { isMet: false, message: `${name} is older than ${version}.` };
  const used = manifest.dependencies.find((dependency) => dependency.name === name)?.version ?? version;
  // The age of the required version was checked when it was proposed, and can only grow.
  const issue = minAgeDays === 0 || used === version ? null : await releaseAge(name, used, minAgeDays);
  return issue === null
    ? { isMet: true, message: `${name} is ${version} or newer.` }
    : { isMet: false, message: `${name} is at ${used}: ${issue}. Use ${version}.` };
}

/** Why a release does not have the minimum age; null if it does. */
type ReleaseAge = (name: string, version: string, days: number) => Promise<string | null>;

function createReleaseAge(environment: GateRequest["environment"]): ReleaseAge {
  // If the repository already uses a newer version, its maintainers decided so: the work is done.
  if (environment[GATE_AT] === AT_BASE) return async () => null;
  return async (name, version, days) => {
    const unknown = `its age of at least ${days} days cannot be checked`;
    try {
      // Imported only here, because these libraries may be missing where a gate runs.
      const { networkAccessOf } = await import("../network-access.ts");
      const { createRegistry } = await import("../scan/registry.ts");
      const { createAgeRule, releasedAt } = await import("../scan/release-age.ts");
      const { fetch, registryAddress } = networkAccessOf(environment);
      const packument = await createRegistry(await registryAddress(), fetch).find(name);
      if (packument === null || releasedAt(packument, version) === null) return unknown;
      const isOld = createAgeRule(days, Date.now()).isMet(packument, version);
      return isOld ? null : `it was released less than ${days} days ago`;
    } catch (error) {
      return `${unknown} (${error instanceof Error ? error.message : String(error)})`;
    }
  };
}
