/** Finds the newest releases of pins, each with the tool of its ecosystem on this machine. */
import semver from "semver";
import { objectOf, parseObject, textOf } from "../reading/json.ts";
import type { Pin, PinKind } from "../reading/pins.ts";
import type { AgeRule } from "./release-age.ts";

/** Programs and network of the scan, which are not those of the repository's commands. */
export interface ScanTools {
  has(program: string): Promise<boolean>;
  /** Standard output; null if it fails or takes too long. */
  print(argv: readonly [program: string, ...args: string[]]): Promise<string | null>;
  readonly fetch: (url: string, options: RequestInit) => Promise<Pick<Response, "status" | "text">>;
  /** Host of the actions. */
  readonly actionsUrl: string;
}

export interface PinRelease {
  readonly value: string;
  readonly label: string | null;
  /** Decided by the version numbers; false for a digest of the same tag. */
  readonly isBreaking: boolean;
}

/** Null if the pin is up to date or its releases are unknown. */
export type FindRelease = (pin: Pin, age: AgeRule, isCompatibleOnly: boolean) => Promise<PinRelease | null>;

interface Ecosystem {
  readonly kind: PinKind;
  /** Name for messages. */
  readonly name: string;
  /** Programs of which one suffices. */
  readonly programs: readonly string[];
  readonly find: (tools: ScanTools, repository: { readonly python: string | null }) => FindRelease;
}

export const ECOSYSTEMS: readonly Ecosystem[] = [
  { kind: "action", name: "GitHub Actions", programs: ["git"], find: findAction },
  { kind: "image", name: "base images", programs: ["skopeo"], find: findImage },
  { kind: "python", name: "Python packages", programs: ["pip3", "pip", "uv"], find: findPython },
];

/** Considers tags with three numbers. The date is that of the commit, because a shallow fetch shows no date of a tag. */
function findAction({ print, actionsUrl }: ScanTools): FindRelease {
  return async ({ name, value, label }, age, isCompatibleOnly) => {
    const url = `${actionsUrl}/${name}.git`;
    const used = semver.coerce(label);
    const listed = await print(["git", "ls-remote", "--tags", "--", url]);
    if (listed === null || used === null) return null;
    const tags = new Map<string, string>();
    for (const [, sha, tag, peeled] of listed.matchAll(/^([0-9a-f]{40})\trefs\/tags\/(v?\d+\.\d+\.\d+)(\^\{\})?$/gm))
      if (peeled !== undefined || !tags.has(tag)) tags.set(tag, sha);
    const newer = [...tags.keys()]
      .filter((tag) => semver.gt(tag, used) && !(isCompatibleOnly && semver.major(tag) > semver.major(used)))
      .toSorted(semver.rcompare);
    for (const tag of newer.slice(0, RELEASES_MAX)) {
      const sha = tags.get(tag) ?? value;
      if (sha === value) return null;
      if (age.isMet(await commitTime(print, { url, sha, tag }), tag))
        return { value: sha, label: tag, isBreaking: semver.major(tag) > semver.major(used) };
    }
    return null;
  };
}

/** Number of releases that are checked until one is old enough. */
const RELEASES_MAX = 5;

async function commitTime(
  print: ScanTools["print"],
  { url, sha, tag }: { readonly url: string; readonly sha: string; readonly tag: string },
): Promise<{ readonly time: Readonly<Record<string, string>> }> {
  // Fetches into a bare repository that is removed afterwards, because no command prints the date of a remote commit.
  const script =
    'folder=$(mktemp -d) && trap \'rm -rf "$folder"\' EXIT && cd "$folder" && git init --quiet --bare . && git fetch --quiet --depth=1 --filter=tree:0 -- "$1" "$2" && git show --no-patch --format=%cI "$2"';
  const printed = await print(["/bin/sh", "-c", script, "sh", url, sha]);
  return { time: printed === null ? {} : { [tag]: printed.trim() } };
}

/** Considers the same tag only; choosing another tag is left to the maintainers. */
function findImage({ print }: ScanTools): FindRelease {
  return async ({ name, value }, age) => {
    const printed = await print(["skopeo", "inspect", "--no-tags", `docker://${name}`]);
    const [, digest] = /"Digest":\s*"(sha256:[0-9a-f]{64})"/.exec(printed ?? "") ?? [];
    const [, created] = /"Created":\s*"([^"]+)"/.exec(printed ?? "") ?? [];
    if (digest === undefined || digest === value) return null;
    const time = created === undefined ? {} : { [digest]: created };
    return age.isMet({ time }, digest) ? { value: digest, label: null, isBreaking: false } : null;
  };
}

const PYPI = "https://pypi.org/simple";
const WAIT_MS = 15_000;

/** From the index that pip of this machine uses, in the JSON form of PEP 691. */
function findPython({ print, fetch }: ScanTools, { python }: { readonly python: string | null }): FindRelease {
  let index: Promise<string> | null = null;
  const readIndex = async () =>
    (await print(["pip3", "config", "get", "global.index-url"]))?.trim() ||
    (await print(["pip", "config", "get", "global.index-url"]))?.trim() ||
    PYPI;
  return async ({ name, value }, age, isCompatibleOnly) => {
    const root = (await (index ??= readIndex())).replace(/\/+$/, "");
    const normalized = name.toLowerCase().replaceAll(/[-_.]+/g, "-");
    const headers = { Accept: "application/vnd.pypi.simple.v1+json" };
    const answer = await fetch(`${root}/${normalized}/`, { headers, signal: AbortSignal.timeout(WAIT_MS) }).catch(
      () => null,
    );
    const releases = answer?.status === 200 ? releasesOf(await answer.text(), { name: normalized, python }) : null;
    if (releases === null) return null;
    const newer = [...releases]
      .filter(([version, { isYanked }]) => !isYanked && compare(version, value) > 0)
      .filter(([version]) => !(isCompatibleOnly && majorOf(version) > majorOf(value)))
      .toSorted(([one], [other]) => compare(other, one));
    const found = newer.find(([version, { time }]) =>
      age.isMet({ time: time === null ? {} : { [version]: time } }, version),
    );
    return found === undefined
      ? null
      : { value: found[0], label: null, isBreaking: majorOf(found[0]) > majorOf(value) };
  };
}

interface PythonRelease {
  /** Upload time of its first file; null if the index has none. */
  readonly time: string | null;
  /** Whether all of its files were withdrawn. */
  readonly isYanked: boolean;
}

interface ReleaseSource {
  readonly name: string;
  /** The oldest Python that the repository supports. */
  readonly python: string | null;
}

/** Final releases only, for every Python that the repository supports. Null if the index sent something else. */
function releasesOf(text: string, { name, python }: ReleaseSource): ReadonlyMap<string, PythonRelease> | null {
  const files = objectOf(parseObject(text))["files"];
  if (!Array.isArray(files)) return null;
  const releases = new Map<string, PythonRelease>();
  for (const file of files.map(objectOf)) {
    const [, stem = "", version] =
      /^(.+?)-(\d+(?:\.\d+)*)(?:-.*\.whl|\.tar\.gz|\.zip)$/.exec(textOf(file["filename"]) ?? "") ?? [];
    if (version === undefined || stem.toLowerCase().replaceAll(/[-_.]+/g, "-") !== name) continue;
    const [, needed] = />=\s*(\d+(?:\.\d+)*)/.exec(textOf(file["requires-python"]) ?? "") ?? [];
    if (needed !== undefined && python !== null && compare(needed, python) > 0) continue;
    const before = releases.get(version);
    const time = textOf(file["upload-time"]);
    const isYanked = file["yanked"] !== undefined && file["yanked"] !== false;
    releases.set(version, { time: before?.time ?? time, isYanked: isYanked && before?.isYanked !== false });
  }
  return releases;
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

/** `1.10` is above `1.9`, and `1.0` equals `1`. */
function compare(one: string, other: string): number {
  const [a, b] = [one.split(".").map(Number), other.split(".").map(Number)];
  for (let at = 0; at < Math.max(a.length, b.length); at++)
    if ((a[at] ?? 0) !== (b[at] ?? 0)) return (a[at] ?? 0) - (b[at] ?? 0);
  return 0;
}
