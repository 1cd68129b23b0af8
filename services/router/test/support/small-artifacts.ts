/**
 * Small models in release format: a trunk of 48 dimensions, two experts, scorer, escalation, complexity and domain. The real recipes train
 * them within a second, once per process.
 */
import {
  openArtifacts,
  loadTrunk,
  probeAnswer,
  trainHead,
  type HeadExample,
  type ShippedArtifacts,
} from "@triptych/decisions";
import { trainOptions } from "../../../../packages/decisions/src/options/train-options.ts";
import {
  fitNoul,
  fitScore,
  trainDomain,
  writeNoul,
  writeScore,
} from "../../../../packages/decisions/src/features/train-features.ts";
import { choiceRows } from "../../../../packages/decisions/test/support/choices.ts";
import { examples, trainSmallTrunk } from "../../../../packages/decisions/test/support/small-trunk.ts";

const HAND_OVER = [
  "I want to talk to a human",
  "let me speak with a person",
  "get me somebody real",
  "this is too hard, ask your boss",
  "my lawyer will hear of this",
  "connect me to an agent",
  "hand me over to support",
  "I need a real person now",
];
const OTHER = ["quantum chromodynamics", "seven blue triangles", "the treaty of westphalia", "tectonic plates drift"];
const STARTS = ["so ", "and ", "well, ", ""];
const PROBE = "will it rain tomorrow, and can I have my money back?";

function toolsExamples(): HeadExample[] {
  const handOver = HAND_OVER.flatMap((text) =>
    STARTS.map((start) => ({ text: start + text, route: "escalate", group: text })),
  );
  const outside = OTHER.flatMap((text) => STARTS.map((start) => ({ text: start + text, route: null, group: text })));
  return [...examples(), ...handOver, ...outside];
}

/** Name and bytes of each file. */
export function trainFiles(): ReadonlyMap<string, Uint8Array> {
  const trunkBytes = trainSmallTrunk();
  const trunk = loadTrunk(trunkBytes);
  const routes = ["weather", "refund", "password", "chat", "escalate"].map((route) => ({
    route,
    description: `Everything about ${route}`,
  }));
  const desk = ["refund", "password"];
  const rows = toolsExamples().map(({ text, route }, index) => ({
    state: text,
    encoding: trunk.encode(text),
    confidence: index % 7 === 0 ? 0.3 : 0.95,
    margin: 0.5,
    scope: null,
    escalate: route === "escalate",
    complexity: 1 + (index % 4),
  }));
  const others = OTHER.flatMap((text) => STARTS.map((start) => ({ text: start + text, route: null })));
  return new Map([
    ["trunk.tptk", trunkBytes],
    ["experts/tools.tphd", trainHead(trunk, { name: "tools", routes, examples: toolsExamples() }).bytes],
    [
      "experts/helpdesk.tphd",
      trainHead(trunk, {
        name: "helpdesk",
        routes: desk.map((route) => ({ route })),
        examples: examples().filter(({ route }) => route !== null && desk.includes(route)),
      }).bytes,
    ],
    ["options.tpos", trainOptions(trunk, { rows: choiceRows() }).bytes],
    ["noul.tpax", writeNoul(trunk, fitNoul(trunk, rows), {})],
    ["score.tpax", writeScore(trunk, fitScore(trunk, rows), {})],
    ["domain.tpax", trainDomain(trunk, [...examples(), ...others]).bytes],
  ]);
}

let trained: ReadonlyMap<string, Uint8Array> | null = null;

export function smallFiles(): ReadonlyMap<string, Uint8Array> {
  return (trained ??= trainFiles());
}

export function smallArtifacts(): ShippedArtifacts {
  const files = smallFiles();
  const artifacts = openArtifacts([...files.keys()], (name) => files.get(name) ?? new Uint8Array());
  return { ...artifacts, probe: { state: PROBE, answer: probeAnswer(artifacts, PROBE) } };
}
