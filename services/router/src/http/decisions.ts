/** The five decision endpoints; all return parts of one assessment. */
import type { BodyOf, decide, noul } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { commonBody, complexityBody, decisionBody, economyBody, escalationBody, routeBody } from "../domain/answers.ts";
import {
  chooseRoute,
  decideOn,
  domainOf,
  judgeComplexity,
  judgeEscalation,
  type Assessor,
  type Complexity,
  type Decision,
  type Escalation,
} from "../domain/assess.ts";
import { candidatesFor } from "../domain/candidates.ts";
import type { Economy } from "../domain/economy.ts";
import type { Encoding } from "../domain/engine.ts";
import { chooseByConfidence } from "../domain/gate.ts";
import type { Expert } from "../domain/experts.ts";
import type { DecisionRequest, Judged } from "../domain/decision-requests.ts";
import type { ObservedDecision, Router } from "../domain/router.ts";
import { withholdCommands } from "../domain/withheld-commands.ts";
import type { Caller } from "./identify.ts";
import { expertsOf } from "./expert-problems.ts";
import { readDecision, readJudgement, type DecisionBody } from "./parsers/read-decision.ts";
import { checkLabels } from "./parsers/read-economy.ts";
import { sendDecision } from "./timing.ts";

type Body = Readonly<Record<string, unknown>>;
interface Handler<RequestBody> {
  readonly handle: (context: DecisionContext<RequestBody>, errors: ValidationErrors) => Promise<FastifyReply>;
}
/** The part of the request context that the five endpoints share. */
export type DecisionContext<RequestBody> = Pick<
  RequestContext<typeof decide, Caller>,
  "caller" | "request" | "reply"
> & { readonly body: RequestBody };
type DecisionHandler = Handler<DecisionBody>;
type JudgementHandler = Handler<BodyOf<typeof noul>>;

interface Telling {
  readonly object: "route" | "decision" | "assessment";
  readonly endpoint: "route" | "decide" | "assess";
  body(assessed: Assessed): Body;
}

interface Assessed {
  readonly decision: Decision;
  readonly escalation: Escalation;
  readonly complexity: () => Complexity;
  readonly explain: number;
  readonly economy: Economy | null;
}

export function routeHandler(router: Router): DecisionHandler {
  return deciding(router, {
    object: "route",
    endpoint: "route",
    body: ({ decision, escalation, complexity, explain, economy }) => ({
      ...routeBody(decision, { escalation, complexity: complexity(), explain }),
      ...economyBody(decision, economy),
    }),
  });
}

export function decideHandler(router: Router): DecisionHandler {
  return deciding(router, {
    object: "decision",
    endpoint: "decide",
    body: ({ decision, explain, economy }) => ({
      ...decisionBody(decision, explain),
      ...economyBody(decision, economy),
    }),
  });
}

export function assessHandler(router: Router): DecisionHandler {
  return deciding(router, {
    object: "assessment",
    endpoint: "assess",
    body: ({ decision, escalation, complexity, explain }) => ({
      action: decision.action,
      reason: decision.reason,
      decision: decisionBody(decision, explain),
      escalation: escalationBody(escalation, explain),
      complexity: complexityBody(complexity(), explain),
    }),
  });
}

function deciding(router: Router, telling: Telling): DecisionHandler {
  const { assessor, clock } = router;
  return {
    async handle({ caller, body, request, reply }, errors) {
      if (errors.has("")) errors.refuse();
      const input = readDecision(body, errors);
      const experts = expertsOf(await acceptedCandidates(router, caller, { body, input, errors }));
      const inPlay = await router.experts.inPlay(caller.owner);
      const began = clock();
      const parse = reply.elapsedTime;
      const encoding = await assessor.engine.encodeFor(input, () => [...(experts ?? []), ...inPlay]);
      const assessed = assessRequest(assessor, encoding, { request: input, experts, inPlay });
      const responseBody = telling.body(assessed);
      const { chosen, action, reason } = assessed.decision;
      const domain = domainOf(assessor.engine, encoding, chosen);
      const decide = clock() - began;
      const expert = chosen.expert?.name ?? null;
      const common = commonBody({
        object: telling.object,
        id: request.id,
        encoding,
        domain,
        expert,
        latencyMs: decide,
      });
      router.observe({ endpoint: telling.endpoint, action, reason, expert: expertLabel(chosen.expert) });
      router.beside({ owner: caller.owner, chosen, encoding });
      return sendDecision(reply, { ...common, ...responseBody }, { parse, decide });
    },
  };
}

interface ReadRequest {
  readonly body: DecisionBody;
  readonly input: DecisionRequest;
  readonly errors: ValidationErrors;
}

/** Only the labels in `economy` need the experts, so all other invalid requests are rejected without a lookup. */
async function acceptedCandidates({ experts }: Router, { owner }: Caller, { body, input, errors }: ReadRequest) {
  const { economy } = body;
  const areRoutesValid = ["/options", "/expert", "/model"].every((path) => errors.isValid(path));
  if (economy === undefined || errors.has("/economy") || !areRoutesValid) errors.refuse();
  const candidates = await candidatesFor(experts, owner, input);
  checkLabels(economy, { options: input.options, candidates }, errors);
  errors.refuse();
  return candidates;
}

interface DecisionInput {
  readonly request: DecisionRequest;
  /** Candidates; null if the caller defines the routes. */
  readonly experts: readonly Expert[] | null;
  readonly inPlay: readonly Expert[];
}

function assessRequest(assessor: Assessor, encoding: Encoding, { request, experts, inPlay }: DecisionInput): Assessed {
  const { engine } = assessor;
  const choose = (read: Encoding) => chooseRoute(engine, read, { request, experts });
  const whole = choose(encoding);
  const gated = withholdCommands(engine, whole, { text: request, choose });
  const isGated = request.expert === null && request.options === null;
  const { chosen: gatedChoice } = isGated ? whole : chooseByConfidence(inPlay, encoding, null);
  const escalation = judgeEscalation(engine, encoding, { judged: request, gated: gatedChoice });
  const readable = engine.canRead(encoding);
  const decision = decideOn(gated, { request, readable, escalation, thresholds: assessor.thresholds });
  const complexity = () => judgeComplexity(assessor, encoding, request);
  const { explain, economy } = request;
  return { decision, escalation, complexity, explain, economy };
}

/** Metrics must not expose names of an owner's heads. */
export function expertLabel(expert: Pick<Expert, "kind" | "name"> | null): string {
  if (expert === null) return "none";
  return expert.kind === "shipped" ? expert.name : "custom";
}

export function noulHandler(router: Router): JudgementHandler {
  return judging(router, "experts", (encoding, judged, experts) => {
    const { chosen: gatedChoice } = chooseByConfidence(experts, encoding, null);
    const escalation = judgeEscalation(router.assessor.engine, encoding, { judged, gated: gatedChoice });
    const { escalate } = escalation;
    return {
      object: "noul",
      body: escalationBody(escalation, judged.explain),
      observed: { action: escalate ? "delegate" : "none", reason: escalate ? "noul_escalate" : "ok" },
    };
  });
}

export function scoreHandler(router: Router): JudgementHandler {
  return judging(router, "text", (encoding, judged) => ({
    object: "score",
    body: complexityBody(judgeComplexity(router.assessor, encoding, judged), judged.explain),
    observed: { action: "none", reason: "ok" },
  }));
}

interface Judgement {
  readonly object: "noul" | "score";
  readonly body: Body;
  readonly observed: Pick<ObservedDecision, "action" | "reason">;
}

/** `experts` are those of a decision that names none. */
type Judge = (encoding: Encoding, judged: Judged, experts: readonly Expert[]) => Judgement;

function judging(router: Router, looksAt: "experts" | "text", judge: Judge): JudgementHandler {
  const { assessor, clock } = router;
  return {
    async handle({ caller, body: sent, request, reply }, errors) {
      if (errors.has("")) errors.refuse();
      const judged = readJudgement(sent, errors);
      errors.refuse();
      const experts = await router.experts.inPlay(caller.owner);
      const began = clock();
      const parse = reply.elapsedTime;
      const encoding = await assessor.engine.encodeFor(judged, () => (looksAt === "experts" ? experts : []));
      const { object, body, observed } = judge(encoding, judged, experts);
      const domain = domainOf(assessor.engine, encoding, null);
      const decide = clock() - began;
      const common = commonBody({ object, id: request.id, encoding, domain, expert: null, latencyMs: decide });
      router.observe({ endpoint: object, ...observed, expert: "none" });
      return sendDecision(reply, { ...common, ...body }, { parse, decide });
    },
  };
}
