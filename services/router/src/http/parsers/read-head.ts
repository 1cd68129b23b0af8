/** Parses a training request. Labels and texts belong to the owner: issues give their path and never repeat them. */
import {
  ALPHA_DEFAULT,
  ALPHA_MIN,
  ALPHA_MAX,
  GATES,
  HEAD_CHARACTERS_MAX,
  HEAD_DESCRIPTION_MAX,
  HEAD_EXAMPLES_MAX,
  HEAD_NAME_PATTERN,
  HEAD_PHRASINGS_MAX,
  HEAD_ROUTES_MIN,
  HEAD_SLOT_VALUES_MAX,
  HEAD_SLOTS_MAX,
  HEAD_TEXTS_MAX,
  OPTIONS_MAX,
  ROUTE_KINDS,
  SHIPPED_EXPERTS,
  SLOTS_PER_PHRASING_MAX,
  STATE_MAX,
} from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import { countTextsOf, growthOf, slotsIn } from "../../domain/heads/expand-phrasing.ts";
import {
  textsPerPhrasing,
  type TrainingRequest,
  type LabelledText,
  type TaughtRoute,
} from "../../domain/heads/training-request.ts";
import {
  at,
  charactersOf,
  issue,
  readEntries,
  readList,
  readNumber,
  readObject,
  readEnum,
  readText,
  refuseUnknown,
  type Json,
  type JsonPointer,
  wholeBody,
} from "./json-pointer.ts";
import { readLabel, readMessages } from "./read-decision.ts";

const FIELDS = [
  "name",
  "routes",
  "slots",
  "examples",
  "languages",
  "gate",
  "alpha",
  "min_conf",
  "auto",
  "domain",
  "plus",
  "seed",
] as const;
const NAME = new RegExp(HEAD_NAME_PATTERN);
const SLOT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;
const LANGUAGE = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;
const LANGUAGES_MAX = 32;
const SEED_MAX = 2 ** 31 - 1;

export function readTrainingRequest(body: unknown, errors: ValidationErrors): TrainingRequest | null {
  const pointer = wholeBody(errors);
  const object = readObject(body, pointer);
  if (object === null) return null;
  refuseUnknown(object, FIELDS, pointer);
  const name = readName(object["name"], at(pointer, "name"));
  const slots = readSlots(object["slots"], at(pointer, "slots"));
  const routes = readRoutes(object["routes"], slots, at(pointer, "routes"));
  const routeNames = new Set(routes.map(({ route }) => route));
  const examples = readExamples(object["examples"], routeNames, at(pointer, "examples"));
  const texts = routes.reduce((sum, { phrasings }) => sum + phrasings.length, examples.length);
  if (texts > HEAD_TEXTS_MAX)
    issue(
      at(pointer, "examples"),
      "too_many",
      `At most ${HEAD_TEXTS_MAX} phrasings and examples are allowed in total, got ${texts}.`,
    );
  checkFilled({ routes, slots, examples }, at(pointer, "slots"));
  const { gate, alpha, min_conf: minConf, auto, domain, plus, seed } = object;
  return {
    name,
    routes,
    slots: slots.values,
    examples,
    settings: {
      gate: gate === undefined ? "floor" : (readEnum(gate, GATES, at(pointer, "gate")) ?? "floor"),
      alpha: readNumber(alpha, { min: ALPHA_MIN, max: ALPHA_MAX }, at(pointer, "alpha")) ?? ALPHA_DEFAULT,
      minConf: readNumber(minConf, { min: 0, max: 1 }, at(pointer, "min_conf")),
      auto: readBoolean(auto, at(pointer, "auto")),
      domain: domain === undefined ? null : readLabel(domain, at(pointer, "domain")),
      languages: readLanguages(object["languages"], at(pointer, "languages")),
    },
    plus: readPlus(plus, at(pointer, "plus")),
    seed: readSeed(seed, at(pointer, "seed")),
  };
}

interface Slots {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Characters of the longest value of each slot. */
  readonly longest: ReadonlyMap<string, number>;
}

/** A few kilobytes of phrasings and values can expand to gigabytes, so the size is computed before any expansion. */
function checkFilled(
  { routes, slots, examples }: Pick<TrainingRequest, "routes" | "examples"> & { readonly slots: Slots },
  pointer: JsonPointer,
): void {
  const most = textsPerPhrasing({ routes, examples });
  const characters = routes
    .flatMap(({ phrasings }) => phrasings)
    .reduce((sum, text) => sum + charactersFilled(text, slots) * countTextsOf(text, slots.values, most), 0);
  if (characters > HEAD_CHARACTERS_MAX)
    issue(
      pointer,
      "too_long",
      `With slots filled, the texts of all phrasings may have at most ${HEAD_CHARACTERS_MAX} characters together, not ${characters}.`,
    );
}

function charactersFilled(phrasing: string, { longest }: Slots): number {
  return charactersOf(phrasing) + growthOf(phrasing, longest);
}

function readName(value: unknown, pointer: JsonPointer): string {
  if (value === undefined) issue(pointer, "missing", "`name` is missing.");
  else if (typeof value !== "string") issue(pointer, "wrong_type", "This must be a string.");
  else if (!NAME.test(value))
    issue(pointer, "wrong_form", "A name is 2 to 40 characters: a lower-case letter, then letters, digits and `_`.");
  else if (SHIPPED_EXPERTS.some((shipped) => shipped === value))
    issue(pointer, "not_allowed", "This is the name of a shipped expert: choose another.");
  else return value;
  return "";
}

function readRoutes(value: unknown, slots: Slots, pointer: JsonPointer): TaughtRoute[] {
  if (value === undefined) {
    issue(pointer, "missing", "`routes` is missing.");
    return [];
  }
  const list = readList(value, { min: HEAD_ROUTES_MIN, max: OPTIONS_MAX, things: "routes" }, pointer);
  const seen = new Set<string>();
  return list.flatMap((taughtRoute, index) => {
    const here = at(pointer, index);
    const object = readObject(taughtRoute, here);
    if (object === null) return [];
    refuseUnknown(object, ["route", "kind", "description", "phrasings"], here);
    const route = readRoute(object["route"], at(here, "route"));
    if (route !== null && seen.has(route)) issue(at(here, "route"), "repeated", "This route is a duplicate.");
    if (route !== null) seen.add(route);
    const { kind, description, phrasings } = object;
    return [
      {
        route: route ?? "",
        kind: kind === undefined ? null : readEnum(kind, ROUTE_KINDS, at(here, "kind")),
        description:
          description === undefined
            ? ""
            : (readText(description, { max: HEAD_DESCRIPTION_MAX }, at(here, "description")) ?? ""),
        phrasings: readPhrasings(phrasings, slots, at(here, "phrasings")),
      },
    ];
  });
}

function readRoute(value: unknown, pointer: JsonPointer): string | null {
  if (value !== undefined) return readLabel(value, pointer);
  issue(pointer, "missing", "`route` is missing.");
  return null;
}

function readPhrasings(value: unknown, slots: Slots, pointer: JsonPointer): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: HEAD_PHRASINGS_MAX, things: "phrasings" }, pointer);
  return list.map((phrasing, index) => {
    const here = at(pointer, index);
    const text = readText(phrasing, { min: 1, max: STATE_MAX, isRequired: true }, here) ?? "";
    const named = slotsIn(text);
    if (named.some((slot) => !slots.values.has(slot)))
      issue(here, "unknown_slot", "It contains a slot in braces that is missing in `slots`.");
    if (named.length > SLOTS_PER_PHRASING_MAX)
      issue(here, "too_many", `It may contain at most ${SLOTS_PER_PHRASING_MAX} slots, got ${named.length}.`);
    if (charactersFilled(text, slots) > STATE_MAX)
      issue(here, "too_long", `With its slots filled it may have at most ${STATE_MAX} characters.`);
    return text;
  });
}

function readSlots(value: unknown, pointer: JsonPointer): Slots {
  const object = value === undefined ? {} : (readObject(value, pointer) ?? {});
  const bounds = { min: 0, max: HEAD_SLOTS_MAX, things: "slots" };
  const slots = readEntries(object, bounds, pointer).map(([name, values]) => readSlot(name, values, at(pointer, name)));
  const longest = slots.map(([name, values]) => [name, Math.max(0, ...values.map(charactersOf))] as const);
  return { values: new Map(slots), longest: new Map(longest) };
}

function readSlot(name: string, value: unknown, pointer: JsonPointer): readonly [string, readonly string[]] {
  if (!SLOT_NAME.test(name)) issue(pointer, "wrong_form", "A slot name has 1 to 40 letters, digits and `_`.");
  const list = readList(value, { min: 1, max: HEAD_SLOT_VALUES_MAX, things: "values" }, pointer);
  const values = list.map(
    (value, index) => readText(value, { min: 1, max: STATE_MAX, isRequired: true }, at(pointer, index)) ?? "",
  );
  return [name, [...new Set(values)]];
}

function readExamples(value: unknown, routeNames: ReadonlySet<string>, pointer: JsonPointer): LabelledText[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: HEAD_EXAMPLES_MAX, things: "examples" }, pointer);
  const examples: LabelledText[] = [];
  for (const [index, sample] of list.entries()) {
    if (pointer.errors.isFull) break;
    const example = readExample(sample, routeNames, at(pointer, index));
    if (example !== null) examples.push(example);
  }
  return examples;
}

function readExample(value: unknown, routeNames: ReadonlySet<string>, pointer: JsonPointer): LabelledText | null {
  const object = readObject(value, pointer);
  if (object === null) return null;
  refuseUnknown(object, ["text", "messages", "route", "lang"], pointer);
  const { route, lang } = object;
  const { state, context } = readSituationText(object, pointer);
  if (route === undefined) issue(at(pointer, "route"), "missing", "`route` is missing; use null if no route fits.");
  else if (route !== null && (typeof route !== "string" || !routeNames.has(route)))
    issue(at(pointer, "route"), "option_unknown", "This is not one of `routes`.");
  return {
    text: state,
    context,
    route: typeof route === "string" ? route : null,
    lang: lang === undefined ? null : readLanguage(lang, at(pointer, "lang")),
  };
}

function readSituationText({ text, messages }: Json, pointer: JsonPointer) {
  if (text !== undefined && messages !== undefined)
    issue(at(pointer, "messages"), "not_together", "Send `text` or `messages`, not both.");
  else if (messages !== undefined) return readMessages(messages, at(pointer, "messages"));
  else if (text !== undefined)
    return {
      state: readText(text, { min: 1, max: STATE_MAX, isRequired: true }, at(pointer, "text")) ?? "",
      context: "",
    };
  else issue(at(pointer, "text"), "missing", "`text` and `messages` are missing: send one of them.");
  return { state: "", context: "" };
}

function readLanguages(value: unknown, pointer: JsonPointer): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: LANGUAGES_MAX, things: "languages" }, pointer);
  return [...new Set(list.map((language, index) => readLanguage(language, at(pointer, index)) ?? ""))];
}

function readLanguage(value: unknown, pointer: JsonPointer): string | null {
  if (typeof value === "string" && value.length <= 35 && LANGUAGE.test(value)) return value;
  issue(pointer, "wrong_form", "This must be a language tag such as `en` or `fr`.");
  return null;
}

export function readBoolean(value: unknown, pointer: JsonPointer): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  issue(pointer, "wrong_type", "This must be true or false.");
  return false;
}

function readPlus(value: unknown, pointer: JsonPointer): "auto" | boolean {
  if (value === undefined || value === "auto") return "auto";
  if (typeof value === "boolean") return value;
  issue(pointer, "not_allowed", 'This must be "auto", true or false.');
  return "auto";
}

function readSeed(value: unknown, pointer: JsonPointer): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= SEED_MAX) return value;
  issue(pointer, "out_of_range", `This must be a whole number from 0 to ${SEED_MAX}.`);
  return 1;
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
