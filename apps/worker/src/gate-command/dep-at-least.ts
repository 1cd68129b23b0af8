import { isAtLeast, readManifest } from "../scouts/reading/npm-packages.ts";
import { readFolder } from "../scouts/reading/tree.ts";
import { readVersion } from "../scouts/reading/versions.ts";
import type { GateWord } from "./gate-word.ts";

export const dependencyGate: GateWord = {
  usage: "dep-at-least <name> <version>",
  about: "package.json asks for at least that, and so does the lock file",
  async ask({ words: [name, text, ...more], folder }) {
    const least = readVersion(text ?? "");
    if (name === undefined || name === "" || least === null || more.length > 0) return null;
    const manifest = await readManifest(await readFolder(folder));
    if (manifest === null) return { code: 1, says: "There is no package.json that can be read." };
    switch (isAtLeast(manifest, name, least)) {
      case null:
        return { code: 0, says: `${name} is no dependency.` };
      case true:
        return { code: 0, says: `${name} is ${text} or newer.` };
      case false:
        return { code: 1, says: `${name} is older than ${text}.` };
    }
  },
};
