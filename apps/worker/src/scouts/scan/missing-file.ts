/** Missing standard files, such as README and LICENSE. */
import { gateLine } from "../gate-command/gate-protocol.ts";
import { has, KINDS, type FileKind } from "../reading/kinds.ts";
import { readManifest } from "../reading/npm-packages.ts";
import { foundBy, type Check, type RawFinding } from "./check.ts";

export const missingFile: Check = {
  name: "missing_file",
  async run({ tree, verifyCommand }) {
    const missing = KINDS.filter((kind) => !has(tree, kind));
    const licence = (await readManifest(tree))?.licence ?? null;
    return foundBy(
      "missing_file",
      SCORE,
      missing.map((kind) => ({ ...ABOUT[kind], focus: focusOf(kind, { licence, verifyCommand }), ...common(kind) })),
    );
  },
};

const SCORE = 0.65;

const ABOUT: Readonly<Record<FileKind, Pick<RawFinding, "title" | "category" | "rationale" | "risk">>> = {
  licence: {
    title: "Add a license",
    category: "docs",
    rationale: "Without a license, nobody else may use the code.",
    risk: "low",
  },
  readme: {
    title: "Add a README",
    category: "docs",
    rationale: "Visitors cannot learn what the project is.",
    risk: "low",
  },
  ci: {
    title: "Add a CI workflow",
    category: "test",
    rationale: "No CI definition was found: changes are not checked automatically.",
    risk: "medium",
  },
};

function focusOf(
  kind: FileKind,
  { licence, verifyCommand }: { readonly licence: string | null; readonly verifyCommand: string | null },
): string {
  switch (kind) {
    case "licence":
      return licence === null
        ? "Add a LICENSE file. No file names a license yet. Use the one that the maintainers choose, and name it in the manifest too."
        : `Add a LICENSE file with the text of ${licence}, the licence that the manifest names.`;
    case "readme":
      return "Write a README.md: purpose, usage and tests of this project. State only what the sources show.";
    case "ci":
      return `Add a CI definition for the forge that hosts this repository${verifyCommand === null ? "" : `; it runs \`${verifyCommand}\``}. New files only.`;
  }
}

function common(kind: FileKind) {
  return { key: [kind], gate: gateLine("has", kind), effort: "s" as const, evidence: [] };
}
