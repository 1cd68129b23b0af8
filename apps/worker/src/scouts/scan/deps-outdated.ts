/** Direct dependencies that fell behind: by a major version, or by half a year. */
import { gateLine } from "../../gate-command/gate-words.ts";
import { cut } from "../finding.ts";
import { MANIFEST, readManifest, type Dependency } from "../reading/npm-packages.ts";
import { compareVersions, readVersion, type Version } from "../reading/versions.ts";
import { foundBy, type Check, type Rough } from "./check.ts";
import type { Packument, Registry } from "./registry.ts";

export const depsOutdated: Check = {
  name: "deps_outdated",
  async look({ tree, registry }) {
    const manifest = await readManifest(tree);
    if (manifest === null || manifest.dependencies.length === 0) return foundBy("deps_outdated", SCORE, []);
    const asked = await registry();
    const text = (await tree.read(MANIFEST)) ?? "";
    const behind: Behind[] = [];
    for (let at = 0; at < manifest.dependencies.length; at += AT_ONCE) {
      const some = manifest.dependencies.slice(at, at + AT_ONCE);
      behind.push(...(await Promise.all(some.map((one) => behindOf(one, asked)))).filter((one) => one !== null));
    }
    behind.sort((one, other) => other.majors - one.majors || other.days - one.days || (one.name < other.name ? -1 : 1));
    return foundBy(
      "deps_outdated",
      SCORE,
      behind.map((one) => roughOf(one, text)),
    );
  },
};

const SCORE = 0.55;
const AT_ONCE = 8;
const DAY_MS = 86_400_000;
const OLD_DAYS = 180;

interface Behind {
  readonly name: string;
  readonly range: string;
  readonly from: string;
  readonly to: string;
  readonly majors: number;
  /** Between the day of ours and that of the newest. */
  readonly days: number;
}

async function behindOf({ name, range, version }: Dependency, registry: Registry): Promise<Behind | null> {
  if (version === null) return null;
  const known = await registry.find(name);
  const to = known?.["dist-tags"].latest ?? "";
  const newest = readVersion(to);
  if (known === null || newest === null || compareVersions(newest, version) <= 0) return null;
  const from = textOf(version);
  const majors = newest.numbers[0] - version.numbers[0];
  const days = Math.floor((dayOf(known, to) - dayOf(known, from)) / DAY_MS);
  return majors > 0 || days > OLD_DAYS ? { name, range, from, to, majors, days: Number.isNaN(days) ? 0 : days } : null;
}

/** NaN where the registry does not say. */
function dayOf({ time }: Packument, version: string): number {
  const said = time?.[version];
  return typeof said === "string" ? Date.parse(said) : NaN;
}

export function textOf({ numbers, before }: Version): string {
  return numbers.join(".") + (before.length === 0 ? "" : `-${before.join(".")}`);
}

function roughOf({ name, range, from, to, majors, days }: Behind, manifest: string): Rough {
  const line = lineOf(manifest, name);
  return {
    // A newer version of the same major is the same work. The panel applies rejections of a package or of a major version.
    key: [name, to.split(".")[0] ?? ""],
    title: cut(`${name} ${from} is behind ${to}`, 120),
    focus: `Bring ${name} from ${from} to ${to}, in package.json and, where there is one, in the lock file. ${majors > 0 ? "It is another major version: read what changed, and adapt what uses it." : "Adapt what uses it where it changed."}`,
    gate: gateLine("dep-at-least", name, to),
    category: "deps",
    rationale: `${majors > 0 ? `${majors} major version${majors === 1 ? "" : "s"} behind` : "The same major version"}, ${days} days between the two.`,
    effort: majors > 0 ? "m" : "s",
    risk: majors > 0 ? "medium" : "low",
    evidence: [{ path: MANIFEST, line, excerpt: `${name}: ${range}` }],
  };
}

export function lineOf(text: string, name: string): number | null {
  const place = text.split("\n").findIndex((line) => line.includes(`${JSON.stringify(name)}:`));
  return place === -1 ? null : place + 1;
}
