import semver from "semver";
import { isAtLeast, readManifest, type Manifest, type VersionRequirement } from "../reading/npm-packages.ts";
import { readFolder } from "../reading/tree.ts";
import type { GateDefinition } from "./gate-protocol.ts";

const EVERYWHERE = "--everywhere";

export const dependencyGate: GateDefinition = {
  usage: "dep-at-least <name> <version>… [--everywhere]",
  about: "package.json and the lock file require at least this version; --everywhere: of every copy",
  async ask({ args, folder }) {
    const requirements = parseRequirements(args);
    if (requirements === null) return null;
    const manifest = await readManifest(await readFolder(folder));
    if (manifest === null) return { code: 1, message: "package.json is missing or invalid." };
    const answers = requirements.map((requirement) => describe(manifest, requirement));
    const red = answers.filter(({ isMet }) => !isMet);
    return {
      code: red.length === 0 ? 0 : 1,
      message: (red.length === 0 ? answers : red).map(({ message }) => message).join(" "),
    };
  },
};

/** The packages and versions after `dep-at-least`; null where the arguments are invalid. */
export function parseRequirements(args: readonly string[]): readonly VersionRequirement[] | null {
  const isEverywhere = args.at(-1) === EVERYWHERE;
  const pairs = isEverywhere ? args.slice(0, -1) : args;
  if (pairs.length === 0 || pairs.length % 2 === 1) return null;
  const requirements: VersionRequirement[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, version] = [pairs[at], pairs[at + 1]];
    if (name === "" || semver.valid(version) === null) return null;
    requirements.push({ name, version, isEverywhere });
  }
  return requirements;
}

function describe(
  manifest: Manifest,
  requirement: VersionRequirement,
): { readonly isMet: boolean; readonly message: string } {
  const { name, version } = requirement;
  const answer = isAtLeast(manifest, requirement);
  if (answer === null) return { isMet: true, message: `${name} is not a dependency.` };
  return { isMet: answer, message: `${name} is ${answer ? `${version} or newer` : `older than ${version}`}.` };
}
