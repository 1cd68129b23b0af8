/** Updates that Renovate or Dependabot settings turn off, as far as those are simple. */
import { isObject, objectOf, parseObject } from "./json.ts";
import { MANIFEST } from "./npm-packages.ts";
import type { Tree } from "./tree.ts";

/** Whether an update of this package is off: always, or for a new major version. */
export type IsIgnored = (name: string, isMajor: boolean) => boolean;

interface Rule {
  readonly names: readonly string[];
  readonly isForMajors: boolean;
}

const RENOVATE = ["renovate.json", ".github/renovate.json", ".gitlab/renovate.json", ".renovaterc", ".renovaterc.json"];
const DEPENDABOT = [".github/dependabot.yml", ".github/dependabot.yaml"];

export async function readUpdateRules(tree: Tree): Promise<IsIgnored> {
  const rules: Rule[] = [];
  for (const path of RENOVATE) rules.push(...renovateRules(parseObject(await tree.read(path)) ?? {}));
  rules.push(...renovateRules(objectOf(parseObject(await tree.read(MANIFEST))?.["renovate"])));
  for (const path of DEPENDABOT) rules.push(...dependabotRules((await tree.read(path)) ?? ""));
  return (name, isMajor) =>
    rules.some(
      ({ names, isForMajors }) => (isMajor || !isForMajors) && names.some((pattern) => matches(pattern, name)),
    );
}

function renovateRules(settings: Readonly<Record<string, unknown>>): readonly Rule[] {
  const ignored = { names: textsIn(settings["ignoreDeps"]), isForMajors: false };
  const rules = Array.isArray(settings["packageRules"]) ? settings["packageRules"].filter(isObject) : [];
  return [
    ignored,
    ...rules
      .filter(({ enabled }) => enabled === false)
      .flatMap((rule): Rule[] => {
        const types = textsIn(rule["matchUpdateTypes"]);
        const isForMajors = types.length > 0;
        // Other conditions (managers, paths, current versions) are not parsed: the rule may not apply to this package.
        const supportedKeys = [
          "enabled",
          "description",
          "matchUpdateTypes",
          "matchPackageNames",
          "matchDepNames",
          "matchPackagePatterns",
        ];
        if (isForMajors && !types.includes("major")) return [];
        if (!Object.keys(rule).every((key) => supportedKeys.includes(key))) return [];
        const named = ["matchPackageNames", "matchDepNames"].flatMap((key) => textsIn(rule[key]));
        return [{ names: named.length > 0 ? named : "matchPackagePatterns" in rule ? [] : ["*"], isForMajors }];
      }),
  ];
}

/** The lists below `ignore:`, by their lines. */
function dependabotRules(text: string): readonly Rule[] {
  const rules: Rule[] = [];
  for (const [, indent, block] of text.matchAll(/^( *)ignore:[ \t]*\n((?:\1[ ]*[-# ][^\n]*\n?|\s*\n)*)/gm))
    for (const item of block.split(new RegExp(`^${indent} *- (?=dependency-name)`, "m")).slice(1)) {
      const [, name = ""] = /^dependency-name:\s*["']?([^"'\s]+)/.exec(item) ?? [];
      const hasVersions = /^\s*versions:/m.test(item);
      const types = /^\s*update-types:/m.test(item);
      if (name !== "" && !hasVersions && (!types || item.includes("semver-major")))
        rules.push({ names: [name], isForMajors: types });
    }
  return rules;
}

/** A name, or one with `*`; Renovate's `/…/` is not supported. */
function matches(pattern: string, name: string): boolean {
  const escaped = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/\*+/g, ".*");
  return new RegExp(`^${escaped}$`).test(name);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
