/** Files that every repository should have, by the names that people and forges expect. */
import type { Tree } from "./tree.ts";

export const KINDS = ["licence", "readme", "ci"] as const;
export type FileKind = (typeof KINDS)[number];

const NAMES: Readonly<Record<FileKind, RegExp>> = {
  licence: /^(?:(?:LICEN[CS]E|COPYING|UNLICENSE)(?:[-.][^/]+)?|LICEN[CS]ES\/.+)$/i,
  readme: /^(?:docs\/|\.github\/)?README(?:\.[^/]+)?$/i,
  ci: new RegExp(
    `^(?:${[
      "\\.(?:github|gitea|forgejo)/workflows/[^/]+\\.ya?ml",
      "\\.gitlab-ci\\.ya?ml",
      "\\.circleci/config\\.ya?ml",
      "\\.travis\\.ya?ml",
      "\\.woodpecker(?:\\.ya?ml|/.+)",
      "\\.drone\\.ya?ml",
      "\\.buildkite/.+",
      "\\.cirrus\\.ya?ml",
      "azure-pipelines\\.ya?ml",
      "bitbucket-pipelines\\.ya?ml",
      "appveyor\\.ya?ml",
      "Jenkinsfile",
    ].join("|")})$`,
  ),
};

/** An empty file does not count. */
export function has(tree: Tree, kind: FileKind): boolean {
  return filesOf(tree, kind).length > 0;
}

export function filesOf({ files }: Tree, kind: FileKind): readonly string[] {
  return [...files.values()].filter(({ path, bytes }) => bytes > 0 && NAMES[kind].test(path)).map(({ path }) => path);
}

/** READMEs of the repository and of the packages in it. */
export function readmesOf({ files }: Tree): readonly string[] {
  return [...files.keys()].filter((path) => /(?:^|\/)README\.(?:md|markdown)$/i.test(path) && !isForeign(path));
}

/** Whether a file is vendored or generated. */
export function isForeign(path: string): boolean {
  return /(?:^|\/)(?:node_modules|vendor|third[_-]party|dist|build|out|target|coverage|\.yarn)\//.test(path);
}
