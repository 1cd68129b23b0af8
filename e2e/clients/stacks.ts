/** The four client stacks: each sends the same three questions and returns the answers in one format. */
import { createOpenAI } from "@ai-sdk/openai";
import { createTypeSafeAi } from "@ai-sdk/typesafe-ai";
import { choice, noul, score, TypeSafeClient } from "@typesafe-ai/sdk";
import { experimental_decide as decide, type Experimental_DecisionModel as DecisionModel } from "ai";
import OpenAI from "openai";
import type { Counterpart } from "./counterparts.ts";

export const STATE = "I want my money back for the lamp that never came";
export const INSTRUCTIONS = "Does the customer want money back?";
export const ROUTES = { refund: "the customer wants money back", weather: "rain, sun and clouds", delivery: "parcels" };
export const LEVELS = ["calm", "somewhat annoyed", "wants money back"] as const;

export interface AskOptions {
  readonly state?: string;
  readonly routes?: Readonly<Record<string, string>>;
}

/** The client's answers, under common names. */
export interface AskResult {
  readonly yes: number;
  readonly route: { readonly choice: string; readonly probabilities: Readonly<Record<string, number>> };
  readonly mood: { readonly score: number; readonly probabilities: Readonly<Record<string, number>> };
  readonly model: string;
  readonly inputTokens: number | undefined;
  /** The response body, if the client exposes it. */
  readonly body: unknown;
}

export interface Stack {
  readonly name: string;
  readonly wire: "/v1/systemone" | "/v1/decisions";
  ask(at: Counterpart, options?: AskOptions): Promise<AskResult>;
}

export const typeSafeAt = ({ url, key, headers }: Counterpart) =>
  new TypeSafeClient({ baseURL: url, apiKey: key, defaultHeaders: headers });

export const openAiAt = ({ url, key, headers }: Counterpart) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, defaultHeaders: headers });

export const openAiModelAt = ({ url, key, headers }: Counterpart) =>
  createOpenAI({ baseURL: `${url}/v1`, apiKey: key, headers }).decisionModel("triptych-1");

/** TypeScript programs need this cast too: the adapter's types follow an older interface of `ai`. */
export const typeSafeModelAt = ({ url, key, headers }: Counterpart) =>
  createTypeSafeAi({ baseURL: `${url}/v1`, apiKey: key, headers }).evaluationModel("jev-latest") as DecisionModel;

export const stacks: readonly Stack[] = [
  { name: "@typesafe-ai/sdk", wire: "/v1/systemone", ask: askTypeSafe },
  { name: "openai", wire: "/v1/decisions", ask: askOpenAi },
  { name: "ai with @ai-sdk/openai", wire: "/v1/decisions", ask: (at, options) => askAi(openAiModelAt(at), options) },
  {
    name: "ai with @ai-sdk/typesafe-ai",
    wire: "/v1/systemone",
    ask: (at, options) => askAi(typeSafeModelAt(at), options),
  },
];

async function askTypeSafe(at: Counterpart, { state = STATE, routes = ROUTES }: AskOptions = {}): Promise<AskResult> {
  const questions = {
    about: noul(INSTRUCTIONS),
    route: choice("Where does it belong?", routes),
    mood: score("How upset?", LEVELS),
  };
  const body = await typeSafeAt(at).systemOne({ state, questions });
  const { answers, model, usage } = body;
  const { about, route, mood } = answers;
  return { yes: about.noul, route, mood, model, inputTokens: usage.input_tokens, body };
}

async function askOpenAi(at: Counterpart, { state = STATE, routes = ROUTES }: AskOptions = {}): Promise<AskResult> {
  const choices = Object.entries(routes).map(([value, description]) => ({ value, description }));
  const levels = LEVELS.map((description, index) => ({ label: String(index), description }));
  const body = await openAiAt(at).decisions.create({
    model: "gpt-6-luna",
    input: state,
    questions: [
      { type: "predicate", name: "about", instructions: INSTRUCTIONS },
      { type: "choice", name: "route", instructions: "Where does it belong?", choices },
      { type: "score", name: "mood", instructions: "How upset?", levels },
    ],
  });
  const [about, route, mood] = body.answers;
  if (about?.type !== "predicate" || route?.type !== "choice" || mood?.type !== "score")
    throw new Error(`unexpected answer types: ${JSON.stringify(body.answers)}`);
  const table = (rows: readonly { readonly value: unknown; readonly probability: number }[]) =>
    Object.fromEntries(rows.map(({ value, probability }) => [String(value), probability]));
  return {
    yes: about.probability,
    route: { choice: String(route.choice), probabilities: table(route.probabilities) },
    mood: { score: mood.score, probabilities: table(mood.probabilities) },
    model: body.model,
    inputTokens: body.usage.input_tokens,
    body,
  };
}

async function askAi(model: DecisionModel, { state = STATE, routes = ROUTES }: AskOptions = {}): Promise<AskResult> {
  const { answers, response, usage } = await decide({
    model,
    state,
    questions: {
      about: { type: "boolean", instructions: INSTRUCTIONS },
      route: { type: "choice", instructions: "Where does it belong?", criteria: routes },
      mood: { type: "score", instructions: "How upset?", criteria: LEVELS },
    },
  });
  const { about, route, mood } = answers;
  return {
    yes: about.probability,
    route: { choice: route.choice, probabilities: route.probabilities ?? {} },
    mood: { score: mood.score, probabilities: mood.probabilities ?? {} },
    model: response.modelId,
    inputTokens: usage.inputTokens,
    body: response.body,
  };
}
