/**
 * The trained files of a release, pinned by SHA-256 in `artifacts/manifest.json`. `probe.json` contains a text and
 * its expected result, bit for bit: an engine with another result is not the released one.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { ArtifactError } from "./artifact/artifact-error.ts";
import { canonicalJson } from "@triptych/contracts/plain";
import type { Json } from "./artifact/header-values.ts";
import { loadHead, type Head } from "./head/load-head.ts";
import { openOptionsScorer, type OptionsScorer } from "./options/load-options.ts";
import { openDomain, type Domain } from "./features/load-domain.ts";
import { openNoul, type Noul } from "./features/load-noul.ts";
import { openScore, type Score } from "./features/load-score.ts";
import { loadTrunk, type Trunk } from "./trunk/trunk.ts";

export interface Artifacts {
  readonly trunk: Trunk;
  readonly options: OptionsScorer;
  readonly noul: Noul;
  readonly score: Score;
  readonly domain: Domain;
  readonly experts: ReadonlyMap<string, Head>;
}

export interface ShippedArtifacts extends Artifacts {
  readonly probe: Probe;
}

export interface Probe {
  readonly state: string;
  readonly answer: Json;
}

export const ARTIFACTS = new URL("../artifacts/", import.meta.url);
const PROBED_EXPERT = "tools";
const EXPERT = /^experts\/([a-z][a-z0-9_]*)\.tphd$/;

export function loadBundledModels(folder = ARTIFACTS): ShippedArtifacts {
  const manifest = readManifest(folder);
  const read = (name: string) => readPinned(folder, name, manifest.get(name));
  return { ...openArtifacts([...manifest.keys()], read), probe: readProbe(read("probe.json")) };
}

export function openArtifacts(names: readonly string[], read: (name: string) => Uint8Array): Artifacts {
  const trunk = loadTrunk(read("trunk.tptk"));
  const experts = names
    .toSorted()
    .map((name) => ({ name, expert: EXPERT.exec(name)?.[1] }))
    .flatMap(({ name, expert }) =>
      expert === undefined ? [] : [[expert, loadHead(read(name), trunk, { stays: true })] as const],
    );
  return {
    trunk,
    options: openOptionsScorer(read("options.tpos"), trunk),
    noul: openNoul(read("noul.tpax"), trunk),
    score: openScore(read("score.tpax"), trunk),
    domain: openDomain(read("domain.tpax"), trunk),
    experts: new Map(experts),
  };
}

export function probeAnswer({ trunk, options, noul, score, domain, experts }: Artifacts, state: string): Json {
  const encoding = trunk.encode(state);
  const expert = experts.get(PROBED_EXPERT);
  if (expert === undefined)
    throw new ArtifactError("bad_header", `The expert "${PROBED_EXPERT}" for the self-test is missing.`);
  const { probabilities, choice, confidence, margin, scope } = expert.decide(encoding);
  const { pYes } = noul.decide({ state, encoding, confidence, margin, scope });
  const { complexity, expected } = score.decide({ state, encoding });
  const entries = expert.routes.map(({ route: label, description }) => ({
    label,
    description,
    parameters: [],
    examples: [],
  }));
  return {
    route: expert.routes[choice].route,
    confidence,
    probabilities: [...probabilities],
    p_yes: pYes,
    complexity,
    expected,
    domain: domain.decide(encoding).domain,
    options: [...options.decide(encoding, options.vocabulary(entries)).probabilities],
  };
}

export function answersProbe(artifacts: Artifacts, { state, answer }: Probe): boolean {
  return canonicalJson(probeAnswer(artifacts, state)) === canonicalJson(answer);
}

function readManifest(folder: URL): ReadonlyMap<string, string> {
  const text = readOrNull(new URL("manifest.json", folder));
  if (text === null)
    throw new ArtifactError(
      "not_an_artifact",
      "The trained files of the decision engine are missing: artifacts/manifest.json does not exist. Install the release again.",
    );
  const manifest = jsonIn(text);
  if (typeof manifest !== "object" || manifest === null)
    throw new ArtifactError("bad_header", "artifacts/manifest.json is not a JSON object.");
  return new Map(Object.entries(manifest).map(([name, sha256]) => [name, String(sha256)]));
}

function readPinned(folder: URL, name: string, pinned: string | undefined): Uint8Array {
  const bytes = readOrNull(new URL(name, folder));
  if (bytes === null || pinned === undefined)
    throw new ArtifactError(
      "not_an_artifact",
      `The file ${name} of the decision engine is missing. Install the release again.`,
    );
  if (createHash("sha256").update(bytes).digest("hex") !== pinned)
    throw new ArtifactError(
      "bad_checksum",
      `The file ${name} of the decision engine was modified: its SHA-256 differs from artifacts/manifest.json. Install the release again.`,
    );
  return bytes;
}

function readProbe(bytes: Uint8Array): Probe {
  const probe = jsonIn(bytes);
  if (typeof probe === "object" && probe !== null && "state" in probe && "answer" in probe)
    return { state: String(probe.state), answer: probe.answer as Json };
  throw new ArtifactError("bad_header", "artifacts/probe.json contains no text and result.");
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return null;
  }
}

function readOrNull(file: URL): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
