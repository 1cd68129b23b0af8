import semver from "semver";
import { isAtLeast, readManifest, type Manifest, type Wanted } from "../scouts/reading/npm-packages.ts";
import { readFolder } from "../scouts/reading/tree.ts";
import type { GateWord } from "./gate-protocol.ts";

const EVERYWHERE = "--everywhere";

export const dependencyGate: GateWord = {
  usage: "dep-at-least <name> <version>… [--everywhere]",
  about: "package.json and the lock file have at least that; of every copy of it",
  async ask({ words, folder }) {
    const wanted = readWanted(words);
    if (wanted === null) return null;
    const manifest = await readManifest(await readFolder(folder));
    if (manifest === null) return { code: 1, says: "There is no package.json that can be read." };
    const answers = wanted.map((one) => describe(manifest, one));
    const red = answers.filter(({ isMet }) => !isMet);
    return {
      code: red.length === 0 ? 0 : 1,
      says: (red.length === 0 ? answers : red).map(({ says }) => says).join(" "),
    };
  },
};

/** The packages and versions after `dep-at-least`; null where the words make no sense. */
export function readWanted(words: readonly string[]): readonly Wanted[] | null {
  const isEverywhere = words.at(-1) === EVERYWHERE;
  const pairs = isEverywhere ? words.slice(0, -1) : words;
  if (pairs.length === 0 || pairs.length % 2 === 1) return null;
  const wanted: Wanted[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, version] = [pairs[at], pairs[at + 1]];
    if (name === "" || semver.valid(version) === null) return null;
    wanted.push({ name, version, isEverywhere });
  }
  return wanted;
}

function describe(manifest: Manifest, wanted: Wanted): { readonly isMet: boolean; readonly says: string } {
  const { name, version } = wanted;
  const answer = isAtLeast(manifest, wanted);
  if (answer === null) return { isMet: true, says: `${name} is no dependency.` };
  return { isMet: answer, says: `${name} is ${answer ? `${version} or newer` : `older than ${version}`}.` };
}
