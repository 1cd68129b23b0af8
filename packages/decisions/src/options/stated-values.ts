/**
 * Counts the values that a request states, by kind: numbers, dates, addresses, names, quotations, identifiers. They
 * indicate whether a required parameter has a value. Supports English and French.
 */
export interface StatedValues {
  readonly numbers: number;
  readonly dates: number;
  /** Email and web addresses. */
  readonly addresses: number;
  readonly quotations: number;
  /** Words that mix letters with digits or underscores. */
  readonly identifiers: number;
}

/** In characters. The first part of a longer request is enough to find the values in it. */
const READ_MAX = 2000;
const DATE_WORD =
  /(?<!\p{L})(?:today|tonight|tomorrow|yesterday|now|noon|midnight|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?(?!\p{L})|(?<!\p{L})(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)(?!\p{L})|(?<!\p{L})(?:morning|afternoon|evening|week(?:end)?s?|month|year|days?|hours?|minutes?|matin|soir|midi|minuit|aujourd'hui|demain|hier|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|f[ée]vrier|mars|avril|mai|juin|juillet|ao[uû]t|septembre|octobre|novembre|d[ée]cembre|semaine|mois|ann[ée]e|jours?|heures?)(?!\p{L})|\d{1,2}[:h]\d{2}|\d{1,2} ?(?:am|pm|h)(?!\p{L})|\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}/giu;
const NUMBER_WORD =
  /(?<!\p{L})(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|thousand|half|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|douzaine|vingt|trente|quarante|cinquante|cent|mille|demi)(?!\p{L})/giu;
const NUMBER = /(?<![\p{L}\d_])[-+]?\d+(?:[.,]\d+)*/gu;
const ADDRESS = /[\w.+-]+@[\w-]+\.\w+|https?:\/\/\S+|www\.\S+/g;
const QUOTATION =
  /"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|`[^`\n]{1,400}`|(?<![\p{L}\d])'[^'\n]{1,400}'(?![\p{L}\d])/gu;
const IDENTIFIER = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z_])[\w-]{3,}(?![\w-])|(?<!\w)[A-Za-z]+_\w+/g;

export function statedValues(state: string): StatedValues {
  const text = state.slice(0, READ_MAX);
  const hasDigit = /\d/.test(text);
  return {
    numbers: (hasDigit ? countOf(text, NUMBER) : 0) + countOf(text, NUMBER_WORD),
    dates: countOf(text, DATE_WORD),
    addresses: /[@./]/.test(text) ? countOf(text, ADDRESS) : 0,
    quotations: /["“«`']/.test(text) ? countOf(text, QUOTATION) : 0,
    identifiers: hasDigit || text.includes("_") ? countOf(text, IDENTIFIER) : 0,
  };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
