/** Outdated pins of GitHub Actions, base images and Python packages, if this machine has the tool of their ecosystem. */
import { truncate } from "@triptych/util";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { pinArgs } from "../gate-command/pinned.ts";
import { titleOf } from "../finding.ts";
import { pinFiles, readPins, type Pin, type PinKind } from "../reading/pins.ts";
import type { Tree } from "../reading/tree.ts";
import type { RawFinding, ScanContext, UpdateSettings } from "./check.ts";
import { ECOSYSTEMS, type FindRelease, type PinRelease } from "./pin-releases.ts";
import type { AgeRule } from "./release-age.ts";

type PinScan = Pick<ScanContext, "tree" | "tools" | "isProtected" | "deps">;

interface Found {
  readonly findings: readonly RawFinding[];
  readonly missed: readonly string[];
}

/** Maximum number of different names per kind, because each needs a request. */
const NAMES_MAX = 40;

export async function findPinned({ tree, tools, isProtected, deps }: PinScan, age: AgeRule): Promise<Found> {
  const paths = pinFiles(tree);
  const open = paths.filter((path) => !isProtected(path));
  const pins = (await Promise.all(open.map((path) => readPins(tree, path)))).flat();
  const guarded = (await Promise.all(paths.filter(isProtected).map((path) => readPins(tree, path)))).flat();
  const missed = new Set(guarded.map(({ path }) => `pins of ${path} were left alone: it is a protected path`));
  const findings: RawFinding[] = [];
  for (const { kind, name, programs, find } of ECOSYSTEMS) {
    const own = pins.filter((pin) => pin.kind === kind);
    if (own.length === 0) continue;
    const isHere = (await Promise.all(programs.map((program) => tools.has(program)))).includes(true);
    if (!isHere) missed.add(`${name} were skipped: this worker has no ${programs.join(" or ")}`);
    else {
      const findRelease = find(tools, { python: await minimumPython(tree) });
      const names = [...Map.groupBy(own, (pin) => pin.name)].slice(0, NAMES_MAX);
      findings.push(...(await findingsOf(names, { kind, findRelease, age, group: deps.group })));
    }
  }
  return { findings, missed: [...missed] };
}

/** `3.9` of `requires-python = ">=3.9"`. */
async function minimumPython(tree: Tree): Promise<string | null> {
  const project = (await tree.read("pyproject.toml")) ?? "";
  return /^requires-python\s*=\s*["'][^"'\n]*>=\s*(\d+(?:\.\d+)*)/m.exec(project)?.[1] ?? null;
}

interface Outdated {
  readonly name: string;
  readonly pins: readonly Pin[];
  readonly release: PinRelease;
}

interface Finding {
  readonly kind: PinKind;
  readonly findRelease: FindRelease;
  readonly age: AgeRule;
  readonly group: UpdateSettings["group"];
}

/** Groups compatible updates of a kind as the setting says; breaking updates are separate. */
async function findingsOf(
  names: readonly (readonly [string, readonly Pin[]])[],
  { kind, findRelease, age, group }: Finding,
): Promise<readonly RawFinding[]> {
  const look = async (isCompatibleOnly: boolean): Promise<readonly Outdated[]> => {
    const found: Outdated[] = [];
    for (const [name, pins] of names) {
      const release = await findRelease(pins[0], age, isCompatibleOnly);
      if (release !== null) found.push({ name, pins, release });
    }
    return found;
  };
  const newest = await look(false);
  if (group === "none") return newest.map((one) => pinFinding([one], { kind, age, key: [kind, one.name] }));
  const breaking = group === "all" ? [] : newest.filter(({ release }) => release.isBreaking);
  const grouped = group === "all" || breaking.length === 0 ? newest : await look(true);
  return [
    ...breaking.map((one) => pinFinding([one], { kind, age, key: [kind, one.name] })),
    ...(grouped.length === 0 ? [] : [pinFinding(grouped, { kind, age, key: [kind, "group"] })]),
  ];
}

const NOUNS: Readonly<Record<PinKind, string>> = {
  action: "pinned GitHub Actions",
  image: "pinned base images",
  python: "pinned Python packages",
};
/** Longest command of a gate in the contract, with room for quotes. */
const GATE_LENGTH_MAX = 1_900;

interface Text {
  readonly kind: PinKind;
  readonly age: AgeRule;
  readonly key: readonly string[];
}

function pinFinding(outdated: readonly Outdated[], { kind, age, key }: Text): RawFinding {
  let count = outdated.length;
  while (count > 1 && gateOf(outdated.slice(0, count)).length > GATE_LENGTH_MAX) count--;
  const included = outdated.slice(0, count);
  const [{ name, release }] = included;
  const isRisky = included.some((one) => one.release.isBreaking);
  const list = included.map(
    (one) => `${one.name} from ${one.pins[0].label ?? one.pins[0].value} to ${one.release.label ?? one.release.value}`,
  );
  const to = kind === "image" ? "the newest digest" : (release.label ?? release.value);
  const pins = included.flatMap((one) => one.pins);
  return {
    key,
    title:
      included.length === 1
        ? titleOf(`Update ${name} to ${to}`, `Update ${name}`)
        : `Update ${included.length} ${NOUNS[kind]}`,
    focus: truncate(
      `Update ${list.join(", ")}. Pin exactly: ${included.map((one) => `${one.name} ${one.release.value}`).join(", ")}.`,
      4_000,
    ),
    gate: gateOf(included),
    category: "deps",
    rationale: truncate(
      `${list.join("; ")}.${age.days === 0 ? "" : ` Each is at least ${age.days} days old.`} A pin gets no fixes by itself.`,
      2_000,
    ),
    effort: "s",
    risk: isRisky ? "medium" : "low",
    evidence: pins.slice(0, 10).map((pin) => ({
      path: pin.path,
      line: pin.line,
      excerpt: `${pin.name}@${pin.value}${pin.label === null ? "" : ` # ${pin.label}`}`,
    })),
  };
}

function gateOf(outdated: readonly Outdated[]): string {
  const pins = outdated.flatMap((one) => one.pins);
  return gateLine(
    ...pinArgs({
      from: [...new Set(pins.map(({ value }) => value))],
      paths: [...new Set(pins.map(({ path }) => path))],
      pins: outdated.map(({ name, release: { value, label } }) => ({ name, value, label })),
    }),
  );
}
