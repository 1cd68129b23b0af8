/** Finds a repository's policy on contributions made with AI. The strictest sentence counts. */
import { AI_STANCES, createPhraseMatcher, PHRASES, type AiStance } from "./phrases.ts";
import { sentencesOf } from "./sentences.ts";

export interface AiFinding {
  readonly stance: AiStance;
  /** `CONTRIBUTING.md:12`; null for `none`. */
  readonly source: string | null;
  readonly quote: string | null;
}

export interface GuidelineFile {
  readonly path: string;
  readonly text: string;
}

export const AI_QUOTE_MAX = 300;
const NO_AI_POLICY: AiFinding = { stance: "none", source: null, quote: null };

/** Returns the first sentence of the strictest stance. `redact` is applied to the quote before it is shortened. */
export function findAiPolicy(files: readonly GuidelineFile[], redact: (text: string) => string): AiFinding {
  let found: { stance: AiStance; source: string; quote: string } | null = null;
  for (const { path, text } of files)
    for (const sentence of sentencesOf(text)) {
      const quote = sentence.leadIn === "" ? sentence.text : `${sentence.leadIn} ${sentence.text}`;
      const stance = stanceOfSentence(quote, { isForAgents: addressesAgents(path) });
      if (!isStricter(stance, found?.stance ?? "none")) continue;
      found = { stance, source: `${path}:${sentence.line}`, quote };
    }
  return found === null ? NO_AI_POLICY : { ...found, quote: shortened(redact(found.quote)) };
}

export function isStricter(stance: AiStance, than: AiStance): boolean {
  return AI_STANCES.indexOf(stance) < AI_STANCES.indexOf(than);
}

function stanceOfSentence(text: string, { isForAgents }: { readonly isForAgents: boolean }): AiStance {
  const matches = createPhraseMatcher(text);
  const stances = PHRASES.filter((phrase) => (isForAgents || !phrase.isForAgents) && matches(phrase)).map(
    ({ stance }) => stance,
  );
  return AI_STANCES.find((stance) => stance === "none" || stances.includes(stance)) ?? "none";
}

function addressesAgents(path: string): boolean {
  return /(?:^|\/)(?:agents|claude|copilot-instructions)\.md$/i.test(path);
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= AI_QUOTE_MAX ? text : `${characters.slice(0, AI_QUOTE_MAX - 1).join("")}…`;
}
