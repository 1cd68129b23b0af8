/**
 * Reads a training request. Labels and texts are the owner's data, so issues contain their path but never repeat them.
 */
import {
  ALPHA_DEFAULT,
  HEAD_CHARACTERS_MAX,
  HEAD_ROUTES_MIN,
  HEAD_TEXTS_MAX,
  OPTIONS_MAX,
  OUT_OF_SCOPE_SHARE_DEFAULT,
  SHIPPED_EXPERTS,
  SLOTS_PER_PHRASING_MAX,
  STATE_MAX,
  type BodyOf,
  type createHead,
} from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { countTextsOf, growthOf, slotsIn } from "../../domain/heads/expand-phrasing.ts";
import {
  textsPerPhrasing,
  type LabelledText,
  type TaughtRoute,
  type TrainingRequest,
} from "../../domain/heads/training-request.ts";
import { readMessages, type Place } from "./read-situation.ts";
import { charactersOf, objectsIn, refuseRepeated } from "./rules.ts";

type HeadBody = BodyOf<typeof createHead>;
type ExampleSent = NonNullable<HeadBody["examples"]>[number];

export function readTrainingRequest(body: HeadBody, errors: ValidationErrors): TrainingRequest {
  const isAccepted = errors.isValid("");
  if (SHIPPED_EXPERTS.some((shipped) => shipped === body.name))
    errors.add({
      path: "/name",
      reason: "not_allowed",
      message: "This is the name of a bundled expert. Choose another name.",
    });
  const slots = slotsOf(errors.isValid("/slots") ? body.slots : {});
  checkRoutes(body, slots, errors);
  const examples = readExamples(body, errors);
  const routes =
    body.routes === undefined ? routesOfExamples(examples, errors) : listedRoutes(isAccepted ? body.routes : []);
  checkSize({ routes, examples }, slots, errors);
  const { gate = "floor", alpha = ALPHA_DEFAULT, min_conf: minConf = null, auto = false, domain = null } = body;
  const languages = [...new Set(isAccepted ? body.languages : [])];
  return {
    name: body.name,
    routes,
    slots: slots.values,
    examples,
    settings: { gate, alpha, minConf, auto, domain, languages },
    plus: body.plus ?? "auto",
    seed: body.seed ?? 1,
    outOfScopeShare: body.out_of_scope_share ?? OUT_OF_SCOPE_SHARE_DEFAULT,
  };
}

function listedRoutes(routes: NonNullable<HeadBody["routes"]>): readonly TaughtRoute[] {
  return routes.map(({ route, kind = null, description = "", phrasings = [] }) => {
    return { route, kind, description, phrasings };
  });
}

/** Sorted by UTF-16 code units, so that the order of the examples does not matter. */
function routesOfExamples(examples: readonly LabelledText[], errors: ValidationErrors): readonly TaughtRoute[] {
  const labels = new Set(examples.flatMap(({ route }) => (typeof route === "string" ? route : [])));
  const message = `Without \`routes\`, the examples must have ${HEAD_ROUTES_MIN} to ${OPTIONS_MAX} routes, got ${labels.size}.`;
  if ((labels.size < HEAD_ROUTES_MIN || labels.size > OPTIONS_MAX) && errors.isValid("/examples"))
    errors.add({ path: "/routes", reason: "required", message });
  const sorted = [...labels].toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.map((route) => ({ route, kind: null, description: "", phrasings: [] }));
}

interface Slots {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Characters of the longest value of each slot. */
  readonly longest: ReadonlyMap<string, number>;
}

function slotsOf(sent: HeadBody["slots"] = {}): Slots {
  const slots = Object.entries(sent).map(([name, values]) => [name, [...new Set(values)]] as const);
  const longest = slots.map(([name, values]) => [name, Math.max(0, ...values.map(charactersOf))] as const);
  return { values: new Map(slots), longest: new Map(longest) };
}

function checkRoutes(body: HeadBody, slots: Slots, errors: ValidationErrors): void {
  const routes = objectsIn(body.routes, "/routes", errors);
  const labels = routes.map(({ entry, path }) => ({ value: entry.route, path: `${path}/route` }));
  refuseRepeated(
    labels.filter(({ path }) => errors.isValid(path)),
    errors,
  );
  if (!errors.isValid("/slots")) return;
  for (const { entry, path } of routes)
    for (const [index, phrasing] of phrasingsOf(entry).entries()) {
      const here = `${path}/phrasings/${index}`;
      if (errors.isValid(here)) checkPhrasing(phrasing, slots, { path: here, errors });
    }
}

function phrasingsOf({ phrasings }: NonNullable<HeadBody["routes"]>[number]): readonly string[] {
  return Array.isArray(phrasings) ? phrasings : [];
}

function checkPhrasing(phrasing: string, slots: Slots, { path, errors }: Place): void {
  const named = slotsIn(phrasing);
  if (named.some((slot) => !slots.values.has(slot)))
    errors.add({ path, reason: "unknown_slot", message: "It contains a slot in braces that is missing in `slots`." });
  if (named.length > SLOTS_PER_PHRASING_MAX)
    errors.add({
      path,
      reason: "too_many",
      message: `It may contain at most ${SLOTS_PER_PHRASING_MAX} slots, got ${named.length}.`,
    });
  if (charactersFilled(phrasing, slots) > STATE_MAX)
    errors.add({
      path,
      reason: "too_long",
      message: `With its slots filled it may have at most ${STATE_MAX} characters.`,
    });
}

function charactersFilled(phrasing: string, { longest }: Slots): number {
  return charactersOf(phrasing) + growthOf(phrasing, longest);
}

function readExamples(body: HeadBody, errors: ValidationErrors): readonly LabelledText[] {
  const known =
    body.routes === undefined
      ? null
      : new Set(objectsIn(body.routes, "/routes", errors).map(({ entry }) => entry.route));
  const examples: LabelledText[] = [];
  for (const { entry, path } of objectsIn(body.examples, "/examples", errors)) {
    if (errors.isFull) break;
    const isKnown = entry.route === null || known === null || known.has(entry.route);
    if (!isKnown && errors.isValid(`${path}/route`))
      errors.add({ path: `${path}/route`, reason: "option_unknown", message: "This is not one of `routes`." });
    const { state, context } = readText(entry, { path, errors });
    examples.push({ text: state, context, route: entry.route, lang: entry.lang ?? null });
  }
  return examples;
}

function readText({ text, messages }: ExampleSent, { path, errors }: Place) {
  if (messages !== undefined) return readMessages(messages, `${path}/messages`, errors);
  return { state: text ?? "", context: "" };
}

/** A few kilobytes of phrasings and values can expand to gigabytes, so the size is computed before expansion. */
function checkSize(
  { routes, examples }: Pick<TrainingRequest, "routes" | "examples">,
  slots: Slots,
  errors: ValidationErrors,
): void {
  const phrasings = routes.flatMap((route) => route.phrasings);
  const texts = phrasings.length + examples.length;
  if (texts > HEAD_TEXTS_MAX)
    errors.add({
      path: "/examples",
      reason: "too_many",
      message: `At most ${HEAD_TEXTS_MAX} phrasings and examples are allowed in total, got ${texts}.`,
    });
  const most = textsPerPhrasing({ routes, examples });
  const characters = phrasings.reduce(
    (sum, text) => sum + charactersFilled(text, slots) * countTextsOf(text, slots.values, most),
    0,
  );
  if (characters > HEAD_CHARACTERS_MAX)
    errors.add({
      path: "/slots",
      reason: "too_long",
      message: `With slots filled, the texts of all phrasings may have at most ${HEAD_CHARACTERS_MAX} characters together, not ${characters}.`,
    });
}

/** `Prefer: wait=N` in milliseconds. Other preferences are ignored (RFC 7240). */
export function readWait(
  header: unknown,
  bounds: { readonly usual: number; readonly most: number },
  errors: ValidationErrors,
): number {
  const [, waitSeconds] = /(?:^|[,;\s])wait\s*=\s*"?([^",;\s]*)/i.exec(typeof header === "string" ? header : "") ?? [];
  if (waitSeconds === undefined) return bounds.usual * 1000;
  const seconds = /^\d{1,4}$/.test(waitSeconds) ? Number(waitSeconds) : Infinity;
  if (seconds <= bounds.most) return seconds * 1000;
  const message = `\`wait\` must be a whole number of seconds from 0 to ${bounds.most}.`;
  errors.add({ path: "header:Prefer", reason: "out_of_range", message });
  return 0;
}
