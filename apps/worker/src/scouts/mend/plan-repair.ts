/** A table from gates to edits. Ambiguous cases have no repair; a person or an agent decides. */
import { readFile } from "node:fs/promises";
import { readGateLine } from "../gate-command/gate-protocol.ts";
import { deadLinksOf, suggestFor } from "../reading/dead-links.ts";
import { filesOf } from "../reading/kinds.ts";
import { readManifest } from "../reading/npm-packages.ts";
import { mendDependency } from "./mend-dependency.ts";
import { mendPins } from "./mend-pins.ts";
import type { Repair, RepairContext } from "./repair.ts";

type Mender = (args: readonly string[], context: RepairContext) => Promise<Repair | null>;

const MENDERS: ReadonlyMap<string, Mender> = new Map([
  ["link", mendLink],
  [
    "has",
    ([kind], context) =>
      kind === "licence" ? writeLicence(context) : kind === "readme" ? writeReadme(context) : NO_REPAIR,
  ],
  ["dep-at-least", mendDependency],
  ["pinned", mendPins],
]);

const NO_REPAIR = Promise.resolve(null);

/** Null if no unambiguous repair exists. */
export async function planRepair(gate: string, context: RepairContext): Promise<Repair | null> {
  const [name = "", ...args] = readGateLine(gate) ?? [];
  return (await MENDERS.get(name)?.(args, context)) ?? null;
}

/** Repairs a link only if exactly one target is plausible. */
async function mendLink([file = "", target = ""]: readonly string[], { tree }: RepairContext): Promise<Repair | null> {
  const text = await tree.read(file);
  const dead = (await deadLinksOf(tree, file)).filter((entry) => entry.target === target);
  const meant = dead.length === 0 ? null : await suggestFor(tree, file, dead[0]);
  if (text === null || meant === null) return null;
  // Edits start from the end, so that earlier offsets stay valid.
  const mended = dead.toReversed().reduce((all, { at, end }) => all.slice(0, at) + meant + all.slice(end), text);
  return { summary: `${file}: ${target} changed to ${meant}`, edits: [{ path: file, text: mended }], lockTool: null };
}

/** The available texts; `licences/SOURCES.md` lists their sources. */
const TEXTS: ReadonlySet<string> = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"]);

async function writeLicence({ tree, year }: RepairContext): Promise<Repair | null> {
  const manifest = await readManifest(tree);
  const licence = manifest?.licence ?? "";
  if (manifest === null || !TEXTS.has(licence) || tree.files.has("LICENSE")) return null;
  const holder = manifest.author ?? (manifest.name === null ? "the authors" : `the ${manifest.name} authors`);
  const text = (await readFile(new URL(`licences/${licence}.txt`, import.meta.url), "utf8"))
    .replace("<year>", String(year))
    .replace("<holder>", () => holder);
  return {
    summary: `LICENSE: the text of ${licence}, for ${holder}`,
    edits: [{ path: "LICENSE", text }],
    lockTool: null,
  };
}

/** Written only from facts in the manifest. */
async function writeReadme({ tree }: RepairContext): Promise<Repair | null> {
  const manifest = await readManifest(tree);
  if (manifest === null || manifest.name === null || tree.files.has("README.md")) return null;
  const { name, description, scripts, licence, isModule } = manifest;
  const [file] = filesOf(tree, "licence");
  const shell = (command: string) => `\`\`\`sh\n${command}\n\`\`\``;
  const use = isModule ? `import * as it from "${name}";` : `const it = require("${name}");`;
  const parts = [
    `# ${name}`,
    description ?? "",
    `## Use\n\n${shell(`npm install ${name}`)}\n\n\`\`\`js\n${use}\n\`\`\``,
    scripts.has("test") ? `## Test\n\n${shell("npm install\nnpm test")}` : "",
    licence === null
      ? ""
      : `## Licence\n\n${file === undefined ? licence : `${licence}: [${file}](${encodeURI(file)})`}`,
  ];
  const text = `${parts.filter(Boolean).join("\n\n")}\n`;
  return { summary: "README.md: generated from package.json", edits: [{ path: "README.md", text }], lockTool: null };
}
