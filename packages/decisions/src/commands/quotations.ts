/**
 * Finds the parts of a text that it quotes or reports: between quotation marks or backticks, after "the note says:",
 * within "how do you say … in Spanish". They are what the request is about, not the request itself. Supports English
 * and French.
 */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export interface Quotation extends Span {
  /** True between quotation marks or backticks. Otherwise the part is reported speech, and its end is a guess. */
  readonly isMarked: boolean;
}

const MARKED = [
  /"([^"\n]{2,600})"/g,
  /“([^”\n]{2,600})”/g,
  /„([^“”\n]{2,600})[“”]/g,
  /«([^»\n]{2,600})»/g,
  /```([\s\S]{2,2000}?)```/g,
  /`([^`\n]{2,600})`/g,
  // An apostrophe within a word is not a quotation mark.
  /(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L})){2,600})'(?![\p{L}\p{N}])/gu,
] as const;

const SPEECH =
  "say|says|said|saying|read|reads|reading|write|writes|wrote|written|state|states|stated|shout|shouts|shouted|whisper|whispers|whispered|tell|tells|told|ask|asks|asked|claims?|claimed|contains?|goes|go|mentions?|mentioned|reply|replied|replies|answered|typed|texted|shows?|demands?|demanded|orders|ordered|instructs|instructed" +
  "|dit|disait|dis|disent|lit|lisait|ecrit|ecrivait|crie|criait|chuchote|murmure|demande|demandait|repond|repondait|repondu|affirme|contient|indique|marque|ordonne|tape|affiche|precise|raconte";
const WORK =
  "translate|translation of|proofread|correct|fix|rephrase|rewrite|reword|paraphrase|summari[sz]e|shorten|spell|pronounce|repeat after me|repeat|quote|analy[sz]e|explain|parse|classify|count the words in|grammar of" +
  "|traduis|traduisez|traduire|traduction de|corrige|corrigez|corriger|reformule|reformulez|reformuler|resume|resumez|resumer|epelle|prononce|repete apres moi|repete|repetez|cite|analyse|explique|compte les mots de";
const THING =
  "message|note|sentence|phrase|line|text|email|mail|letter|document|file|page|article|ticket|comment|caption|title|poem|exercise|quiz|log|prompt|sign|poster|sticker|label|screen|subject|tweet|review|transcript|conversation|string" +
  "|courriel|lettre|fichier|texte|titre|poeme|exercice|affiche|panneau|etiquette|ecran|objet|commentaire|avis|consigne|enonce|legende|chaine";

/** Everything from the colon to the end of the paragraph is reported. */
const REPORTED = [
  new RegExp(`\\b(?:${SPEECH}|${WORK})(?:\\s+[^\\s.:;!?]+){0,6}?\\s?:\\s*(?!//)([^\\n]{4,})`, "g"),
  new RegExp(
    `\\b(?:${THING})(?:\\s+(?!${SPEECH})[^\\s.:;!?]+){0,4}?\\s+(?:says?|said|reads?|states?|disait|dit|lit|indique)\\s*:?\\s+(?!what|when|where|how|if|whether|that i|quand|comment|si )([^\\n]{8,})`,
    "g",
  ),
  /\bhow (?:do|would|can|should) (?:you|i|we|they|one) (?:say|write|spell|pronounce|translate)\s+([^\n]{4,}?)\s+(?:in|into|auf|en)\s+\p{L}+\s*\??/gu,
  /\b(?:comment|on) (?:dit|dis|traduit|traduis|ecrit)(?:-on|-tu|-t-on)?\s+([^\n]{4,}?)\s+(?:en|dans)\s+\p{L}+\s*\??/gu,
] as const;

const WORD = /[\p{L}\p{N}]+/gu;
/** Shorter quotations are names, titles or values. */
const WORDS_MIN = 3;

/** Returns the spans in the order of the text, without overlaps. `folded` has the length of `text`. */
export function findQuotations(text: string, folded: string): readonly Quotation[] {
  const marked = MARKED.flatMap((pattern) => spansOf(pattern, text)).map((span) => ({ ...span, isMarked: true }));
  const reported = REPORTED.flatMap((pattern) => spansOf(pattern, folded)).map((span) => ({
    ...span,
    isMarked: false,
  }));
  const spans: Quotation[] = [];
  for (const span of [...marked, ...reported].toSorted((a, b) => a.from - b.from || b.until - a.until))
    if (span.from >= (spans.at(-1)?.until ?? 0) && isSentence(text.slice(span.from, span.until)))
      spans.push({
        ...span,
        from: Math.max(spans.at(-1)?.until ?? 0, reportingClause(folded, span.from) ?? span.from),
      });
  return spans;
}

const SUBJECT =
  /^\W*(?:(?:i heard|i read|i saw|we heard|j'ai (?:entendu|lu|vu)|and|but|then|et|mais|puis|in|on|at|from|dans|sur|chez|hier|yesterday|today)\b.*?\b)?(?:the|an?|my|your|his|her|our|their|this|that|these|he|she|they|it|who|there|some\w+|every\w+|no ?one|le|la|les|une?|mon|ma|mes|ton|ta|son|sa|ses|notre|nos|votre|leurs?|cet?t?e?|ces|il|elle|ils|elles|quelqu)\b|^\W*l'/;
const FINITE = new RegExp(`\\b(?:${SPEECH})\\b`);

/**
 * Where the clause that reports a quotation begins, or null if it asks for something: "she told me: …" requests
 * nothing, "send a message saying …" does.
 */
function reportingClause(folded: string, from: number): number | null {
  const start = Math.max(...[".", "!", "?", ";", "\n"].map((sign) => folded.lastIndexOf(sign, from - 2))) + 1;
  const clause = folded.slice(start, from);
  return SUBJECT.test(clause) && FINITE.test(clause) ? start : null;
}

function spansOf(pattern: RegExp, text: string): Span[] {
  return [...text.matchAll(pattern)].map((found) => {
    const from = found.index + found[0].lastIndexOf(found[1]);
    return { from, until: from + found[1].length };
  });
}

function isSentence(quoted: string): boolean {
  return (quoted.match(WORD)?.length ?? 0) >= WORDS_MIN;
}
