/**
 * Surface signals of an exam question with answers A, B, C. Vocabulary differs between subjects, but hard questions
 * look alike. Shares and log counts; binary signals are 1 or 0.
 */
import { log } from "../math/exp-log.ts";

export const QUESTION_SIGNALS = [
  "length of the question",
  "length of the answers",
  "difference of the answers in length",
  "length of the longest answer",
  "share of answers with figures",
  "share of answers that are figures",
  "share of answers of one word",
  "answers of as many words",
  "words that answers share",
  "words of answers that stand in the question",
  "all or none of the answers",
  "statements to judge",
  "which of the following",
  "negation in the question",
  "question mark at the end",
  "colon at the end",
  "blank to fill",
  "quotation",
  "sentences of the question",
  "figures of the question",
  "words of degree",
  "signs of formulas",
  "capitals in the question",
  "abbreviations in the question",
  "answers yes or no",
  "persons in the question",
  "year in the question",
  "begins with a question word",
  "asks how many",
  "length of words of the question",
  "length of words of the answers",
  "words of computing",
] as const;

const ANSWER = /^\s*[A-D][.)]\s?(.*)$/;
const PROMPT = /^\s*(?:answer|réponse)\s*:\s*$/i;
const WORD = /[\p{L}\p{N}]+/gu;
const LETTERS = /\p{L}+/gu;
const FIGURES = /\p{N}+/gu;
const FIGURE = /\p{N}/u;
const ONLY_FIGURES = /^[^\p{L}]*\p{N}[^\p{L}]*\p{L}{0,3}$/u;
const ALL_OR_NONE =
  /\b(?:all|none|both|neither) of (?:the|these)\b|cannot be determined|not given|toutes? ces|aucune? de/;
const STATEMENTS = /statement|scenario|proposition|\bI\b.*\bII\b/i;
const FOLLOWING = /\b(?:following|suivante?s?)\b/;
const NEGATION = /\b(?:not|except|least|incorrect|false|pas|sauf|faux|fausse|jamais)\b/;
const DEGREE = /\b(?:most|best|least|primarily|likely|plus|mieux|surtout|probable)\b/;
const QUOTE = /["“”«]/;
const BLANK = /__|\.{4}/;
const SENTENCE_END = /[.!?](?=\s|$)/g;
const FORMULA = /[=+^\\{}<>∨∧⊃•~√]/g;
const CAPITALISED = /(?<=[^\n])\b\p{Lu}\p{Ll}+/gu;
const ABBREVIATION = /\b\p{Lu}{2,}\b/gu;
const YES_OR_NO = /\b(?:true|false|wrong|yes|no|vrai|faux|oui|non)\b/;
const PERSON = /\b(?:i|my|he|she|his|her|man|woman|je|mon|ma|il|elle|homme|femme)\b/;
const YEAR = /\b(?:1\d{3}|20\d{2})\b/;
const QUESTION_WORD =
  /^(?:\P{L}*\p{L}+){0,2}?\P{L}*(?<!\p{L})(?:who|when|where|which|what|name|qui|quand|où|quel|quelle|quels|quelles)(?!\p{L})/u;
const HOW_MANY = /\bhow (?:many|much|long)\b|\bcombien\b/;
const COMPUTING =
  /\b(?:algorithm|function|graph|program|matrix|group|probability|code|algorithme|fonction|graphe|programme|matrice|groupe|probabilité)\b/;

export function questionSignals(state: string): Float64Array {
  const { question, answers } = partsOf(state);
  const lowerQuestion = question.toLowerCase();
  const offered = answers.join(" ").toLowerCase();
  const words = lowerQuestion.match(LETTERS) ?? [];
  const wordsOfAnswers = answers.map((answer) => answer.toLowerCase().match(WORD) ?? []);
  const sets = wordsOfAnswers.map((list) => new Set(list));
  const inQuestion = new Set(words);
  const lengths = answers.map((answer) => answer.length);
  const middle = meanOf(lengths);
  const shareOf = (predicate: (answer: string) => boolean) => meanOf(answers.map((answer) => is(predicate(answer))));
  return Float64Array.of(
    log(1 + words.length),
    log(1 + middle),
    log(1 + Math.sqrt(meanOf(lengths.map((length) => (length - middle) ** 2)))),
    log(1 + Math.max(0, ...lengths)),
    shareOf((answer) => FIGURE.test(answer)),
    shareOf((answer) => ONLY_FIGURES.test(answer)),
    meanOf(wordsOfAnswers.map((list) => is(list.length <= 1))),
    is(new Set(wordsOfAnswers.map((list) => list.length)).size === 1),
    sharedAmong(sets),
    meanOf(sets.map((set) => sharedBy(set, inQuestion) / Math.max(1, set.size))),
    is(ALL_OR_NONE.test(offered)),
    is(STATEMENTS.test(question)),
    is(FOLLOWING.test(lowerQuestion)),
    is(NEGATION.test(lowerQuestion)),
    is(question.endsWith("?")),
    is(question.endsWith(":")),
    is(BLANK.test(question)),
    is(QUOTE.test(question)),
    countOf(question, SENTENCE_END),
    countOf(question, FIGURES),
    is(DEGREE.test(lowerQuestion)),
    countOf(state, FORMULA),
    countOf(question, CAPITALISED),
    countOf(question, ABBREVIATION),
    is(YES_OR_NO.test(offered)),
    is(PERSON.test(lowerQuestion)),
    is(YEAR.test(question)),
    is(QUESTION_WORD.test(lowerQuestion)),
    is(HOW_MANY.test(lowerQuestion)),
    meanOf(words.map(({ length }) => length)),
    meanOf(wordsOfAnswers.flatMap((list) => list.map(({ length }) => length))),
    is(COMPUTING.test(lowerQuestion)),
  );
}

/** Answers may span lines; the text before the first answer is the question. */
function partsOf(state: string): { readonly question: string; readonly answers: readonly string[] } {
  const question: string[] = [];
  const answers: string[] = [];
  for (const line of state.split("\n")) {
    if (PROMPT.test(line)) continue;
    const answer = ANSWER.exec(line)?.[1];
    if (answer !== undefined) answers.push(answer.trim());
    else if (answers.length === 0) question.push(line);
    else answers.push(`${answers.pop() ?? ""} ${line}`);
  }
  return { question: question.join(" ").trim(), answers };
}

/** Mean share of common words over all pairs of answers. */
function sharedAmong(sets: readonly ReadonlySet<string>[]): number {
  return meanOf(
    sets.flatMap((set, index) =>
      sets.slice(0, index).map((other) => {
        const shared = sharedBy(set, other);
        return shared / Math.max(1, set.size + other.size - shared);
      }),
    ),
  );
}

function sharedBy(first: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const word of first) if (other.has(word)) count++;
  return count;
}

function countOf(text: string, pattern: RegExp): number {
  return log(1 + (text.match(pattern)?.length ?? 0));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function is(claim: boolean): number {
  return claim ? 1 : 0;
}
