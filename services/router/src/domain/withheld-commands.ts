/**
 * Prevents routes that act from following a command that the text negates, quotes or injects. If the rest of the text
 * asks for the same route, nothing changes. If it clearly asks for another route, that one is chosen. Otherwise no
 * route fits.
 */
import { CONFIDENCE_FLOOR } from "@triptych/contracts";
import type { CommandReading, Encoding, Engine } from "./engine.ts";
import type { GatedChoice } from "./gate.ts";
import type { RouteChoice } from "./route-choice.ts";

export interface WithheldInput {
  readonly text: { readonly state: string; readonly context: string };
  /** Decides another encoding of the same request. */
  readonly choose: (encoding: Encoding) => GatedChoice;
}

export function withholdCommands(
  engine: Pick<Engine, "encode" | "readCommands">,
  whole: GatedChoice,
  { text, choose }: WithheldInput,
): GatedChoice {
  const { chosen } = whole;
  if (chosen.kind !== "tool" || !chosen.acts || chosen.outOfScope) return whole;
  const reading = engine.readCommands(text.state, chosen.labels[chosen.choice]);
  if (reading.parts.length === 0) return whole;
  const rest = decideRest(reading);
  if (rest !== null && rest.chosen.labels[rest.chosen.choice] === chosen.labels[chosen.choice]) return whole;
  const decided = rest === null ? { ...whole, chosen: withheld(chosen) } : rest;
  return { ...decided, chosen: withEvidence(decided.chosen, reading, text.state) };

  /**
   * Null unless the rest clearly asks for something. Not for sentence encoders, which run before decisions, on whole
   * texts.
   */
  function decideRest({ rest }: CommandReading): GatedChoice | null {
    if (rest === "" || chosen.via === "onnx") return null;
    const decided = choose(engine.encode(rest, text.context));
    const { kind, outOfScope, confidence } = decided.chosen;
    return kind === "tool" && !outOfScope && confidence >= CONFIDENCE_FLOOR ? decided : null;
  }
}

/** No route fits, so the most likely one has no more confidence than any other, as for a text that cannot be read. */
function withheld(chosen: RouteChoice): RouteChoice {
  return { ...chosen, outOfScope: true, confidence: Math.min(chosen.confidence, 1 / chosen.labels.length) };
}

/** Puts the withheld parts first. They do not favor any route, so they contribute nothing to the difference. */
function withEvidence(chosen: RouteChoice, { parts }: CommandReading, state: string): RouteChoice {
  return {
    ...chosen,
    explain(most) {
      const rules = parts.slice(0, most).map(({ kind, from, until }) => ({
        feature: `${kind}: ${state.slice(from, until).trim().slice(0, FEATURE_MAX)}`,
        kind: "rule" as const,
        weight: 1,
        contribution: 0,
      }));
      const explained = chosen.explain(most);
      const evidence = explained.evidence.slice(0, most - rules.length);
      const moved = explained.evidence.slice(evidence.length);
      const other = moved.reduce((sum, { contribution }) => sum + contribution, explained.other);
      return { ...explained, other, evidence: [...rules, ...evidence] };
    },
  };
}

const FEATURE_MAX = 80;
