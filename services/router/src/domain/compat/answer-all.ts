/**
 * The questions of one call, answered as its wire writes them. Each is answered from the text alone, so where there are many of them
 * others answer a share of those for the options scorer at the same time; what an answer says does not depend on who gives it.
 */
import { CanonicalText, canonicalJson } from "@triptych/contracts";
import type { Assessor } from "../assess.ts";
import type { Engine } from "../engine.ts";
import { answerByOptions, answerQuestion, isForOptions, type Asked } from "./answer-question.ts";
import type { CompatOrder, Question } from "./questions.ts";
import { answerWires, type Telling, type Told, type WireName } from "./wires.ts";

/** Questions for the options scorer, with all that their answers depend on. */
export interface Share extends Pick<CompatOrder, "state" | "context" | "minConf" | "maxError" | "formula" | "explain"> {
  readonly wire: WireName;
  readonly questions: readonly Question[];
}

export interface Helpers {
  /** How many shares would be answered at once. */
  readonly free: number;
  /** Canonical JSON of each answer, in the order of the questions; null where nobody has answered. */
  answer(share: Share): Promise<readonly string[] | null>;
}

/** To hand over fewer takes as long as to answer them. */
const SHARE_LEAST = 32;

export interface Call {
  readonly order: CompatOrder;
  readonly wire: WireName;
  readonly helpers: Helpers;
}

export async function answerAll(asked: Asked, { order, wire, helpers }: Call): Promise<readonly Told[]> {
  const { questions, state, context, minConf, maxError, formula, explain } = order;
  const telling = { formula, explain, log: asked.engine.log };
  const told: (Told | undefined)[] = questions.map(() => undefined);
  const shares = sharesOf(asked, questions, helpers.free);
  const elsewhere = shares.map(async (places) => {
    const own = places.map((place) => questions[place]);
    const texts = await helpers.answer({ wire, state, context, minConf, maxError, formula, explain, questions: own });
    for (const [n, text] of texts?.entries() ?? [])
      told[places[n]] = { question: own[n], expert: null, body: new CanonicalText(text) };
  });
  const away = new Set(shares.flat());
  answerWhere((place) => !away.has(place));
  await Promise.all(elsewhere);
  answerWhere((place) => told[place] === undefined);
  return told.filter((one) => one !== undefined);

  function answerWhere(isMine: (place: number) => boolean): void {
    for (const [place, question] of questions.entries())
      if (isMine(place)) told[place] = toldBy(wire, question, { asked, telling });
  }
}

function toldBy(
  wire: WireName,
  question: Question,
  { asked, telling }: { readonly asked: Asked; readonly telling: Telling },
): Told {
  const answer = answerQuestion(asked, question);
  return { question, expert: answer.expert, body: answerWires[wire].answer({ question, answer }, telling) };
}

/** Places of the questions that others answer: an equal part for each of them, and as much is left for us. */
function sharesOf(asked: Asked, questions: readonly Question[], free: number): readonly (readonly number[])[] {
  const helpers = Math.min(free, Math.floor(questions.length / SHARE_LEAST) - 1);
  if (helpers < 1) return [];
  const plain = [...questions.keys()].filter((place) => isForOptions(asked, questions[place]));
  const each = Math.floor(Math.min(plain.length, (questions.length * helpers) / (helpers + 1)) / helpers);
  if (each < SHARE_LEAST) return [];
  return Array.from({ length: helpers }, (_, n) => plain.slice(n * each, (n + 1) * each));
}

/** What a helper does. */
export function answerShare(
  {
    engine,
    thresholds,
  }: Pick<Assessor, "thresholds"> & { readonly engine: Pick<Engine, "encode" | "options" | "log"> },
  { wire, state, context, minConf, maxError, formula, explain, questions }: Share,
): readonly string[] {
  const encoding = engine.encode(state, context);
  const asked = { engine, thresholds, encoding, floors: { minConf, maxError } };
  const telling = { formula, explain, log: engine.log };
  return questions.map((question) =>
    canonicalJson(answerWires[wire].answer({ question, answer: answerByOptions(asked, question) }, telling)),
  );
}
