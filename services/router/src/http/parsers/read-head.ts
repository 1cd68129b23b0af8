/** Reads the order of a head. Labels and texts are the owner's: faults point at them and never repeat them. */
import {
  ALPHA_DEFAULT,
  ALPHA_LEAST,
  ALPHA_MOST,
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
import type { Faults } from "@triptych/server";
import { countTextsOf, growthOf, slotsIn } from "../../domain/heads/expand-phrasing.ts";
import {
  textsPerPhrasing,
  type HeadOrder,
  type LabelledText,
  type TaughtRoute,
} from "../../domain/heads/training-request.ts";
import {
  at,
  charactersOf,
  fault,
  readEntries,
  readList,
  readNumber,
  readObject,
  readOneOf,
  readText,
  refuseUnknown,
  type Json,
  type Place,
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

/** Null where the body is no object; else what it returns counts only when `faults` has none. */
export function readHeadOrder(body: unknown, faults: Faults): HeadOrder | null {
  const place = wholeBody(faults);
  const object = readObject(body, place);
  if (object === null) return null;
  refuseUnknown(object, FIELDS, place);
  const name = readName(object["name"], at(place, "name"));
  const slots = readSlots(object["slots"], at(place, "slots"));
  const routes = readRoutes(object["routes"], slots, at(place, "routes"));
  const known = new Set(routes.map(({ route }) => route));
  const examples = readExamples(object["examples"], known, at(place, "examples"));
  const texts = routes.reduce((sum, { phrasings }) => sum + phrasings.length, examples.length);
  if (texts > HEAD_TEXTS_MAX)
    fault(at(place, "examples"), "too_many", `Phrasings and examples may be ${HEAD_TEXTS_MAX} together, not ${texts}.`);
  checkFilled({ routes, slots, examples }, at(place, "slots"));
  const { gate, alpha, min_conf: minConf, auto, domain, plus, seed } = object;
  return {
    name,
    routes,
    slots: slots.values,
    examples,
    settings: {
      gate: gate === undefined ? "floor" : (readOneOf(gate, GATES, at(place, "gate")) ?? "floor"),
      alpha: readNumber(alpha, { min: ALPHA_LEAST, max: ALPHA_MOST }, at(place, "alpha")) ?? ALPHA_DEFAULT,
      minConf: readNumber(minConf, { min: 0, max: 1 }, at(place, "min_conf")),
      auto: readBoolean(auto, at(place, "auto")),
      domain: domain === undefined ? null : readLabel(domain, at(place, "domain")),
      languages: readLanguages(object["languages"], at(place, "languages")),
    },
    plus: readPlus(plus, at(place, "plus")),
    seed: readSeed(seed, at(place, "seed")),
  };
}

interface Slots {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** Characters of the longest value of each. */
  readonly longest: ReadonlyMap<string, number>;
}

/** A few thousand bytes of phrasings and values can be gigabytes of texts: what they would be is counted before any of it is made. */
function checkFilled(
  { routes, slots, examples }: Pick<HeadOrder, "routes" | "examples"> & { readonly slots: Slots },
  place: Place,
): void {
  const most = textsPerPhrasing({ routes, examples });
  const characters = routes
    .flatMap(({ phrasings }) => phrasings)
    .reduce((sum, text) => sum + charactersFilled(text, slots) * countTextsOf(text, slots.values, most), 0);
  if (characters > HEAD_CHARACTERS_MAX)
    fault(
      place,
      "too_long",
      `With slots filled, the texts of all phrasings may have at most ${HEAD_CHARACTERS_MAX} characters together, not ${characters}.`,
    );
}

function charactersFilled(phrasing: string, { longest }: Slots): number {
  return charactersOf(phrasing) + growthOf(phrasing, longest);
}

function readName(value: unknown, place: Place): string {
  if (value === undefined) fault(place, "missing", "`name` is missing.");
  else if (typeof value !== "string") fault(place, "wrong_type", "This must be a string.");
  else if (!NAME.test(value))
    fault(place, "wrong_form", "A name is 2 to 40 characters: a lower-case letter, then letters, digits and `_`.");
  else if (SHIPPED_EXPERTS.some((shipped) => shipped === value))
    fault(place, "not_allowed", "A shipped expert has this name: choose another.");
  else return value;
  return "";
}

function readRoutes(value: unknown, slots: Slots, place: Place): TaughtRoute[] {
  if (value === undefined) {
    fault(place, "missing", "`routes` is missing.");
    return [];
  }
  const list = readList(value, { min: HEAD_ROUTES_MIN, max: OPTIONS_MAX, things: "routes" }, place);
  const seen = new Set<string>();
  return list.flatMap((one, index) => {
    const here = at(place, index);
    const object = readObject(one, here);
    if (object === null) return [];
    refuseUnknown(object, ["route", "kind", "description", "phrasings"], here);
    const route = readRoute(object["route"], at(here, "route"));
    if (route !== null && seen.has(route)) fault(at(here, "route"), "repeated", "This route is listed before.");
    if (route !== null) seen.add(route);
    const { kind, description, phrasings } = object;
    return [
      {
        route: route ?? "",
        kind: kind === undefined ? null : readOneOf(kind, ROUTE_KINDS, at(here, "kind")),
        description:
          description === undefined
            ? ""
            : (readText(description, { max: HEAD_DESCRIPTION_MAX }, at(here, "description")) ?? ""),
        phrasings: readPhrasings(phrasings, slots, at(here, "phrasings")),
      },
    ];
  });
}

function readRoute(value: unknown, place: Place): string | null {
  if (value !== undefined) return readLabel(value, place);
  fault(place, "missing", "`route` is missing.");
  return null;
}

function readPhrasings(value: unknown, slots: Slots, place: Place): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: HEAD_PHRASINGS_MAX, things: "phrasings" }, place);
  return list.map((one, index) => {
    const here = at(place, index);
    const text = readText(one, { min: 1, max: STATE_MAX, isSaid: true }, here) ?? "";
    const named = slotsIn(text);
    if (named.some((slot) => !slots.values.has(slot)))
      fault(here, "unknown_slot", "It names a slot in braces that `slots` does not have.");
    if (named.length > SLOTS_PER_PHRASING_MAX)
      fault(here, "too_many", `It may name at most ${SLOTS_PER_PHRASING_MAX} slots, not ${named.length}.`);
    if (charactersFilled(text, slots) > STATE_MAX)
      fault(here, "too_long", `With its slots filled it may have at most ${STATE_MAX} characters.`);
    return text;
  });
}

function readSlots(value: unknown, place: Place): Slots {
  const object = value === undefined ? {} : (readObject(value, place) ?? {});
  const bounds = { min: 0, max: HEAD_SLOTS_MAX, things: "slots" };
  const slots = readEntries(object, bounds, place).map(([name, values]) => readSlot(name, values, at(place, name)));
  const longest = slots.map(([name, values]) => [name, Math.max(0, ...values.map(charactersOf))] as const);
  return { values: new Map(slots), longest: new Map(longest) };
}

function readSlot(name: string, value: unknown, place: Place): readonly [string, readonly string[]] {
  if (!SLOT_NAME.test(name)) fault(place, "wrong_form", "A slot is named by letters, digits and `_`, 40 at most.");
  const list = readList(value, { min: 1, max: HEAD_SLOT_VALUES_MAX, things: "values" }, place);
  const values = list.map(
    (one, index) => readText(one, { min: 1, max: STATE_MAX, isSaid: true }, at(place, index)) ?? "",
  );
  return [name, [...new Set(values)]];
}

function readExamples(value: unknown, known: ReadonlySet<string>, place: Place): LabelledText[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: HEAD_EXAMPLES_MAX, things: "examples" }, place);
  const examples: LabelledText[] = [];
  for (const [index, one] of list.entries()) {
    if (place.faults.isFull) break;
    const example = readExample(one, known, at(place, index));
    if (example !== null) examples.push(example);
  }
  return examples;
}

function readExample(value: unknown, known: ReadonlySet<string>, place: Place): LabelledText | null {
  const object = readObject(value, place);
  if (object === null) return null;
  refuseUnknown(object, ["text", "messages", "route", "lang"], place);
  const { route, lang } = object;
  const { state, context } = readSaid(object, place);
  if (route === undefined) fault(at(place, "route"), "missing", "`route` is missing; null says that none fits.");
  else if (route !== null && (typeof route !== "string" || !known.has(route)))
    fault(at(place, "route"), "option_unknown", "This is not among `routes`.");
  return {
    text: state,
    context,
    route: typeof route === "string" ? route : null,
    lang: lang === undefined ? null : readLanguage(lang, at(place, "lang")),
  };
}

function readSaid({ text, messages }: Json, place: Place) {
  if (text !== undefined && messages !== undefined)
    fault(at(place, "messages"), "not_together", "Send `text` or `messages`, not both.");
  else if (messages !== undefined) return readMessages(messages, at(place, "messages"));
  else if (text !== undefined)
    return { state: readText(text, { min: 1, max: STATE_MAX, isSaid: true }, at(place, "text")) ?? "", context: "" };
  else fault(at(place, "text"), "missing", "`text` is missing, and so is `messages`: send one of them.");
  return { state: "", context: "" };
}

function readLanguages(value: unknown, place: Place): string[] {
  if (value === undefined) return [];
  const list = readList(value, { min: 0, max: LANGUAGES_MAX, things: "languages" }, place);
  return [...new Set(list.map((one, index) => readLanguage(one, at(place, index)) ?? ""))];
}

function readLanguage(value: unknown, place: Place): string | null {
  if (typeof value === "string" && value.length <= 35 && LANGUAGE.test(value)) return value;
  fault(place, "wrong_form", "This must be a language tag, as `en` or `fr`.");
  return null;
}

export function readBoolean(value: unknown, place: Place): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? false;
  fault(place, "wrong_type", "This must be true or false.");
  return false;
}

function readPlus(value: unknown, place: Place): "auto" | boolean {
  if (value === undefined || value === "auto") return "auto";
  if (typeof value === "boolean") return value;
  fault(place, "not_allowed", 'This must be "auto", true or false.');
  return "auto";
}

function readSeed(value: unknown, place: Place): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= SEED_MAX) return value;
  fault(place, "out_of_range", `This must be a whole number from 0 to ${SEED_MAX}.`);
  return 1;
}

/** `Prefer: wait=N` in milliseconds. Other preferences are not ours and are passed over (RFC 7240). */
export function readWait(
  header: unknown,
  bounds: { readonly usual: number; readonly most: number },
  faults: Faults,
): number {
  const [, given] = /(?:^|[,;\s])wait\s*=\s*"?([^",;\s]*)/i.exec(typeof header === "string" ? header : "") ?? [];
  if (given === undefined) return bounds.usual * 1000;
  const seconds = /^\d{1,4}$/.test(given) ? Number(given) : Infinity;
  if (seconds <= bounds.most) return seconds * 1000;
  const message = `\`wait\` is a whole number of seconds from 0 to ${bounds.most}.`;
  faults.add({ path: "header:Prefer", reason: "out_of_range", message });
  return 0;
}
