/**
 * Answers the three questions about a text: route, escalation, complexity. Every endpoint returns parts of this
 * assessment, so that the five cannot disagree. The text is encoded once.
 */
import { CONFIDENCE_FLOOR, GATE_FLOOR } from "@triptych/contracts";
import { verdictOn, type Facts, type Verdict } from "./decision-table.ts";
import type { Encoding, Engine, NoulDecision, ScoreDecision, SignalInput } from "./engine.ts";
import type { Expert } from "./experts.ts";
import { chooseByConfidence, type GatedChoice } from "./gate.ts";
import type { DecisionRequest, ThresholdInput, Judged } from "./decision-requests.ts";
import { reasonText } from "./reason-text.ts";
import { chooseByOptions, type Explanation, type RouteChoice } from "./route-choice.ts";
import type { Thresholds } from "./thresholds.ts";

export interface Assessor {
  readonly engine: Engine;
  readonly thresholds: Thresholds;
}

export interface Decision extends GatedChoice, Verdict {
  readonly reasonText: string;
}

export interface Escalation extends NoulDecision {
  readonly escalate: boolean;
  explain(most: number): Explanation;
}

export interface Complexity extends ScoreDecision {
  explain(most: number): Explanation;
}

/** `experts`: candidates, at least one; null for a caller-defined vocabulary. */
export function chooseRoute(
  engine: Engine,
  encoding: Encoding,
  {
    request,
    experts,
  }: { readonly request: Pick<DecisionRequest, "options">; readonly experts: readonly Expert[] | null },
): GatedChoice {
  const { options } = request;
  if (options?.kind === "vocabulary")
    return { chosen: chooseByOptions(engine.options, encoding, options.entries), gateConfidence: null };
  if (experts === null) throw new Error("A request without options requires an expert.");
  return chooseByConfidence(experts, encoding, options?.labels ?? null);
}

export function decideOn(gated: GatedChoice, circumstances: Circumstances): Decision {
  const facts = factsOf(gated, circumstances);
  const verdict = verdictOn(facts);
  const { basis, set } = gated.chosen;
  const reasonFacts = { ...facts, basis, maxError: circumstances.request.maxError, alpha: set?.alpha ?? null };
  return { ...gated, ...verdict, reasonText: reasonText(verdict, reasonFacts) };
}

interface Circumstances {
  readonly request: ThresholdInput;
  /** False if the text cannot be read. */
  readonly readable: boolean;
  readonly escalation: (NonNullable<Facts["escalation"]> & Pick<NoulDecision, "rules">) | null;
  readonly thresholds: Thresholds;
}

interface JudgedChoice extends Pick<GatedChoice, "gateConfidence"> {
  readonly chosen: Pick<RouteChoice, "kind" | "basis" | "expert" | "outOfScope" | "confidence" | "risk" | "set">;
}

export function factsOf(
  { chosen, gateConfidence }: JudgedChoice,
  { request: { minConf, maxError }, readable, escalation, thresholds }: Circumstances,
): Facts {
  const { expert } = chosen;
  return {
    kind: chosen.kind,
    // A clear choice among the caller's options is overruled by an escalation rule only, not by doubt about other
    // routes.
    escalation: chosen.basis === "zero_shot" && escalation?.rules.length === 0 ? null : escalation,
    outOfScope: chosen.outOfScope,
    unread: chosen.outOfScope && !readable,
    gateConfidence,
    gateFloor: minConf ?? GATE_FLOOR,
    confidence: chosen.confidence,
    floor: minConf ?? expert?.floor ?? CONFIDENCE_FLOOR,
    risk: maxError === null ? null : { threshold: thresholds.of(chosen.risk, maxError) },
    isConformal: expert?.gate === "conformal" && minConf === null && maxError === null,
    setSize: chosen.set?.labels.length ?? 1,
  };
}

/**
 * `gated` is the result of the active experts on the whole text. It does not depend on the pinned expert, so that every
 * endpoint escalates in the same cases. Out-of-scope texts count as certain, because an expert's doubt about unrelated
 * texts carries no information. (With that doubt, six of ten requests to a bank would escalate; without it, one of
 * thirteen does.)
 */
export function judgeEscalation(
  { noul }: Pick<Engine, "noul">,
  encoding: Encoding,
  { judged, gated }: { readonly judged: Judged; readonly gated: RouteChoice },
): Escalation {
  const { confidence, margin, scope } = gated.outOfScope ? CONFIDENT : gated;
  const input: SignalInput = { state: judged.state, encoding, confidence, margin, scope };
  const decided = noul.decide(input);
  return {
    ...decided,
    escalate: decided.pYes >= decided.threshold,
    explain: (most) => ({ ...noul.explain(input, most), choice: "yes", versus: "no" }),
  };
}

const CONFIDENT = { confidence: 0.9, margin: 0.9, scope: null };

export function judgeComplexity({ engine }: Pick<Assessor, "engine">, encoding: Encoding, judged: Judged): Complexity {
  const input = { state: judged.state, encoding };
  const decided = engine.score.decide(input);
  const { complexity, versus } = decided;
  return {
    ...decided,
    explain: (most) => ({ ...engine.score.explain(input, most), choice: String(complexity), versus: String(versus) }),
  };
}

/** Domain of the request: the expert's own domain, or that of the domain model if it is confident. */
export function domainOf(
  engine: Engine,
  encoding: Encoding,
  chosen: Pick<RouteChoice, "expert"> | null,
): string | null {
  return chosen?.expert?.domain ?? engine.domain.decide(encoding).domain;
}
