/** The three decision APIs: how to build a request, and where to find the choice in the response. */
import { decisions, route, systemone, type Endpoint } from "@triptych/contracts";
import { isRecord } from "@triptych/util";

export const APIS = ["route", "systemone", "decisions"] as const;
export type Api = (typeof APIS)[number];

export const ENDPOINTS: Readonly<Record<Api, Endpoint>> = { route, systemone, decisions };

type Body = Readonly<Record<string, unknown>>;

/** A list restricts the expert's routes; a map defines routes, label to description. */
export type Labels = readonly string[] | Readonly<Record<string, string | null>>;

export interface DecisionSettings {
  readonly api: Api;
  readonly expert: string | null;
  readonly labels: Labels | null;
  readonly minConf: number | null;
}

/** The input of a decision: a text, or messages of a conversation. */
export type Judged = { readonly state: string } | { readonly messages: unknown };

/** Builds the request for one text. The two compatible APIs need labels. */
export function requestFor(judged: Judged, { api, expert, labels, minConf }: DecisionSettings): Body {
  const common = { ...(expert !== null && { expert }), ...(minConf !== null && { min_conf: minConf }) };
  if (api === "route") return { ...common, ...judged, ...(labels !== null && { options: labels }) };
  const described = describedLabels(labels ?? []);
  const text = "state" in judged ? judged.state : judged.messages;
  if (api === "systemone")
    return {
      ...common,
      state: text,
      questions: { route: { type: "choice", criteria: Object.fromEntries(described) } },
    };
  const choices = described.map(([value, description]) => ({ value, ...(description !== null && { description }) }));
  return { ...common, input: text, questions: [{ type: "choice", name: "route", choices }] };
}

function describedLabels(labels: Labels): readonly (readonly [label: string, description: string | null])[] {
  return isList(labels) ? labels.map((label) => [label, null]) : Object.entries(labels);
}

/** `Array.isArray` does not narrow readonly lists. */
function isList(labels: Labels): labels is readonly string[] {
  return Array.isArray(labels);
}

export interface Choice {
  readonly choice: string;
  /** Probability that the choice is right. */
  readonly confidence: number;
  /** False if the answer is escalated or out of scope, whatever the minimum confidence. */
  readonly isOffered: boolean;
  /** Model or expert that answered. */
  readonly model: string;
}

/** Reasons that take precedence over every floor in the decision table of the API. */
const NEVER_OFFERED = new Set(["route_escalate", "noul_escalate", "out_of_scope"]);

/** Throws an Error for a response without a choice. */
export function choiceIn(api: Api, body: unknown): Choice {
  if (!isRecord(body)) throw noChoice(api);
  const answer = answerIn(api, body);
  const choice = isRecord(answer) ? answer[api === "route" ? "route" : "choice"] : undefined;
  if (!isRecord(answer) || (typeof choice !== "string" && typeof choice !== "boolean")) throw noChoice(api);
  const confidence = api === "route" ? answer["confidence"] : (answer["p_correct"] ?? probabilityOf(choice, answer));
  if (typeof confidence !== "number") throw noChoice(api);
  const { reason } = answer;
  return {
    choice: String(choice),
    confidence,
    isOffered: typeof reason !== "string" || !NEVER_OFFERED.has(reason),
    model: modelIn(body),
  };
}

function answerIn(api: Api, body: Readonly<Record<string, unknown>>): unknown {
  if (api === "route") return body;
  const { answers } = body;
  if (Array.isArray(answers)) return answers[0];
  return isRecord(answers) ? answers["route"] : undefined;
}

/** Probability from a third-party server, whose `confidence` is not necessarily a probability. */
function probabilityOf(choice: string | boolean, { probabilities }: Readonly<Record<string, unknown>>): unknown {
  if (isRecord(probabilities)) return probabilities[String(choice)];
  if (!Array.isArray(probabilities)) return undefined;
  const entry: unknown = probabilities.find((item) => isRecord(item) && item["value"] === choice);
  return isRecord(entry) ? entry["probability"] : undefined;
}

function modelIn({ model, expert }: Readonly<Record<string, unknown>>): string {
  const name = typeof model === "string" ? model : "unknown";
  return typeof expert === "string" && !name.includes("/") ? `${name}/${expert}` : name;
}

function noChoice(api: Api): Error {
  return new Error(`The response contains no choice with a probability, as ${ENDPOINTS[api].path} returns it.`);
}
