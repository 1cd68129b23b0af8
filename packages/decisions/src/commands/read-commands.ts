/**
 * Separates what a text asks for from commands that it negates, quotes or injects. Pure; supports English and French.
 * The caller decides on the rest, and never acts on a withheld part alone.
 */
import { memoize } from "@triptych/util";
import { tokenise } from "../text/tokenise.ts";
import { foldSameLength } from "./folded-text.ts";
import { findInjection } from "./injections.ts";
import { findNegation } from "./negations.ts";
import { findQuotations, type Span } from "./quotations.ts";

export type WithheldKind = "negated" | "quoted" | "injected";

export interface WithheldPart extends Span {
  readonly kind: WithheldKind;
}

export interface CommandReading {
  /** In the order of the text. */
  readonly parts: readonly WithheldPart[];
  /** The text without the parts; empty if it contains an injection or no word is left. */
  readonly rest: string;
}

/** In characters; a decision reads no more either. */
const READ_MAX = 4000;
/** Most texts contain none of these words and are not searched further. */
const CUE =
  /["“„«`<#|{[:\n]|(?<![\p{L}\p{N}])'|\b(?:don't|dont|do not|don t|do nt|never|not|n't|no|avoid|refrain|abstain|hold off|quit|cease|stop|without|instead|rather|forbid|prohibit|forbidden|unnecessary|useless|under|ignore|disregard|forget|override|bypass|drop|discard|you are now|act as|pretend|mode|from now on|reveal|how|comment|dit|says?|said|reads?|states?|needn't|mustn't|shouldn't|wouldn't|ne|pas|plus|jamais|aucune?|inutile|evite[zr]?|sans|surtout|interdi\w+|arrete[zr]?|cesse[zr]?|oublie[zr]?|ignore[zr]?|desormais|consignes?|system|admin|developer|developpeur)\b|n'|lieu/u;
/** A clause ends at punctuation, or before a word that begins another clause. */
const CLAUSE_END =
  /[.;!?\n,:]+(?=\s|$)|\s(?=(?:but|just|only|instead|and (?:then|instead|just)|mais|plutot|a la place|et (?:puis|dis|donne|montre|fais))\s)/g;
const WORD = /[\p{L}\p{N}]/u;
const NOTHING: CommandReading = { parts: [], rest: "" };

export function readCommands(text: string): CommandReading {
  const read = text.slice(0, READ_MAX);
  const folded = foldSameLength(read);
  if (!CUE.test(folded)) return NOTHING;
  const quotations = findQuotations(read, folded);
  const quoted = quotations.map(({ from, until }) => ({ from, until, kind: "quoted" as const }));
  const own = blanked(folded, quoted);
  // A request may quote an injection in order to talk about it.
  const marked = quotations.filter(({ isMarked }) => isMarked);
  const injection = findInjection(blanked(folded, marked));
  if (injection !== null) return { parts: [{ ...injection, kind: "injected" }], rest: "" };
  const negated = negatedClauses(own);
  const parts = [...quoted, ...negated].toSorted((a, b) => a.from - b.from);
  if (parts.length === 0) return NOTHING;
  return { parts, rest: restOf(text, parts) };
}

/** A call may ask 400 questions about one text. */
const readCommandsOnce = memoize(readCommands, 1);

/**
 * Like `readCommands`, for the route with this name. "Don't wake me tomorrow" is a request for `cancel_alarm`: a
 * negation rules out a route that ends something only if the negation itself names such an act.
 */
export function readCommandsFor(text: string, route: string): CommandReading {
  const reading = readCommandsOnce(text);
  if (reading.parts.length === 0 || !endsSomething(route)) return reading;
  const parts = reading.parts.filter(
    ({ kind, from, until }) => kind !== "negated" || endsSomething(text.slice(from, until)),
  );
  if (parts.length === reading.parts.length) return reading;
  return parts.length === 0 ? NOTHING : { parts, rest: restOf(text, parts) };
}

function endsSomething(text: string): boolean {
  return tokenise(text).tokens.some((token) => ENDING_VERB.test(token));
}

function restOf(text: string, parts: readonly Span[]): string {
  const rest = blanked(text, parts)
    .replace(/\s+/g, " ")
    .replace(/^[\s,;:.!]+|[\s,;]+$/g, "");
  return WORD.test(rest) ? rest : "";
}

/** Inflected forms in folded text: "cancelling", "annulez", "résiliées". */
const ENDING_VERB = new RegExp(
  "^(?:(?:cancel|delet|remov|stop|mut|disabl|block|unsubscrib|paus|suspend|declin|reject|refus|den|disturb|end|terminat|clos)(?:[lp]?(?:ing|ed)|e?s?|y|ies|ied)" +
    "|(?:annul|supprim|arret|bloqu|coup|clotur|desabonn|desactiv|desinscri|effac|enlev|ferm|interromp|refus|declin|resili|retir|suspend)(?:e[rsz]?|ent|i?ons|iez|ees?|r?ai[st]?|re|ve[rz]|s|t)" +
    "|dnd|off)$",
);

function negatedClauses(folded: string): WithheldPart[] {
  return clausesOf(folded).flatMap(({ from, until }) => {
    const start = findNegation(folded.slice(from, until));
    return start < 0 ? [] : [{ from: from + start, until, kind: "negated" as const }];
  });
}

function clausesOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(CLAUSE_END)) {
    // A question mark belongs to its clause.
    const until = index + (end.includes("?") ? end.length : 0);
    if (until > from) spans.push({ from, until });
    from = index + end.length;
  }
  if (from < text.length) spans.push({ from, until: text.length });
  return spans;
}

/** The text with blanks in place of the parts; its length stays the same. */
function blanked(text: string, parts: readonly Span[]): string {
  let out = "";
  let from = 0;
  for (const part of parts) {
    if (part.until <= from) continue;
    const start = Math.max(from, part.from);
    out += text.slice(from, start) + " ".repeat(part.until - start);
    from = part.until;
  }
  return out + text.slice(from);
}
