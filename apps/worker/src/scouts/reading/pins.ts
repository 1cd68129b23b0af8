/**
 * Versions that files outside of package.json pin: commits of GitHub Actions, digests of base images, releases of Python packages. Only
 * exact pins: a range or a tag gets each compatible release anyway.
 */
import type { Tree } from "./tree.ts";

export type PinKind = "action" | "image" | "python";

export interface Pin {
  readonly kind: PinKind;
  readonly path: string;
  readonly line: number;
  /** `actions/checkout`, `node:22`, `requests`. */
  readonly name: string;
  /** A commit, a digest, a version. */
  readonly value: string;
  /** The version in the comment behind a commit; null for other kinds. */
  readonly label: string | null;
  /** Offset of `value` in the file, and of `label`, -1 without one. */
  readonly at: number;
  readonly labelAt: number;
}

interface Reader {
  readonly kind: PinKind;
  readonly path: RegExp;
  /** Groups: name, value, label. */
  readonly pattern: RegExp;
}

const READERS: readonly Reader[] = [
  {
    kind: "action",
    path: /^(?:\.github\/workflows\/[^/]+\.ya?ml|(?:\.github\/actions\/.+\/)?action\.ya?ml)$/,
    pattern:
      /^[ \t]*-?[ \t]*uses:[ \t]*["']?(?<name>[\w.-]+\/[\w.-]+)(?:\/[\w./-]+)?@(?<value>[0-9a-f]{40})["']?[ \t]*#[ \t]*(?:tag=)?(?<label>v?\d+(?:\.\d+){0,2})\b/dgm,
  },
  {
    kind: "image",
    path: /(?:^|\/)(?:(?:Docker|Container)file(?:\.[\w.-]+)?|[\w.-]+\.Dockerfile)$/,
    pattern: /^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(?<name>[\w./:-]+:[\w.-]+)@(?<value>sha256:[0-9a-f]{64})\b/dgim,
  },
  {
    kind: "python",
    path: /(?:^|\/)requirements[\w.-]*\.(?:txt|in)$|(?:^|\/)requirements\/[\w.-]+\.(?:txt|in)$/,
    pattern:
      /^(?<name>[A-Za-z0-9][\w.-]*)(?:\[[\w, -]*\])?[ \t]*==[ \t]*(?<value>\d+(?:\.\d+)*)(?=[ \t]*(?:[;#]|$))/dgm,
  },
  {
    kind: "python",
    path: /(?:^|\/)pyproject\.toml$/,
    pattern:
      /^[ \t]*(?:[\w-]+[ \t]*=[ \t]*)?\[?[ \t]*["'](?<name>[A-Za-z0-9][\w.-]*)(?:\[[\w, -]*\])?[ \t]*==[ \t]*(?<value>\d+(?:\.\d+)*)[ \t]*(?:;[^"'\n]*)?["']/dgm,
  },
];

/** Example projects and inputs of tests stay at the versions that they show. */
const SAMPLES = /(?:^|\/)(?:__fixtures__|fixtures?|tests?|__tests__|spec|examples?|templates?|vendor)\//;
const FILES_MAX = 100;

export function pinFiles(tree: Tree): readonly string[] {
  return [...tree.files.keys()]
    .filter((path) => !SAMPLES.test(path) && READERS.some((reader) => reader.path.test(path)))
    .slice(0, FILES_MAX);
}

export async function readPins(tree: Tree, path: string): Promise<readonly Pin[]> {
  const text = (await tree.read(path)) ?? "";
  return READERS.filter((reader) => reader.path.test(path)).flatMap(({ kind, pattern }) =>
    Array.from(text.matchAll(pattern), (match): Pin => {
      const { name = "", value = "", label = null } = { ...match.groups };
      const offsets = match.indices?.groups ?? {};
      const at = offsets["value"]?.[0] ?? 0;
      return {
        kind,
        path,
        line: text.slice(0, at).split("\n").length,
        name,
        value,
        label: label ?? null,
        at,
        labelAt: offsets["label"]?.[0] ?? -1,
      };
    }),
  );
}
