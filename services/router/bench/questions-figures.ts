/**
 * 400 questions of all three kinds about one text in one call. Each round sends new questions, then the same ones with another text. Times
 * are the client's on loopback, and the router's from `Server-Timing`.
 */
import { toolOptions } from "../../../packages/decisions/bench/head-figures.ts";
import { median } from "@triptych/util";
import { ms, progress, type Figures } from "../../../packages/decisions/bench/report.ts";
import { generateTexts } from "../../../packages/decisions/bench/texts.ts";
import { startRouter } from "./start-router.ts";

const QUESTIONS = 400;
const BAR_MS = 20;
/** Warm-up as defined in the contract, so that the router is measured, not the JIT compiler. */
const WARM_UP_CALLS = 40;
/** Tools per question. */
const STRIDE = 4;

export interface QuestionsPlan {
  readonly folder: string;
  readonly rounds: number;
}

export async function measureQuestions({ folder, rounds }: QuestionsPlan): Promise<Figures> {
  await using router = await startRouter(folder);
  const [warmUp, ...states] = generateTexts(2 * rounds + 1, 200, 5);
  for (let call = 0; call < WARM_UP_CALLS; call++) await ask(router.url, warmUp, questionsOf(1000 + call));
  const first: Answered[] = [];
  const repeated: Answered[] = [];
  for (let round = 0; round < rounds; round++) {
    const questions = questionsOf(round);
    first.push(await ask(router.url, states[2 * round], questions));
    repeated.push(await ask(router.url, states[2 * round + 1], questions));
    progress(`questions, round ${round + 1}: ${ms(first.at(-1)?.wall ?? 0)}, ${ms(repeated.at(-1)?.wall ?? 0)}`);
  }
  const rowOf = (goal: string, answered: readonly Answered[]) => {
    const [wall, total] = [median(answered.map(({ wall }) => wall)), median(answered.map(({ total }) => total))];
    return { goal, bar: ms(BAR_MS), measured: `${ms(wall)}, ${ms(total)} of them in the router`, met: wall < BAR_MS };
  };
  return {
    goals: [rowOf(`${QUESTIONS} new questions`, first), rowOf(`${QUESTIONS} questions, repeated`, repeated)],
    tables: [],
  };
}

const TOOLS = toolOptions();

/** The name of the round is part of each question, so that no question repeats. */
export function questionsOf(round: number): Readonly<Record<string, object>> {
  return Object.fromEntries(Array.from({ length: QUESTIONS }, (_, n) => [`q${n}`, questionOf(n, round)]));
}

function questionOf(n: number, round: number): object {
  const tools = Array.from({ length: STRIDE }, (_, k) => TOOLS[(n * STRIDE + k + 37 * round) % TOOLS.length]);
  const [first, second] = tools;
  switch (n % 3) {
    case 0:
      return { type: "noul", instructions: `Case ${letters(round)}: does the user want this? ${first.description}` };
    case 1:
      return {
        type: "choice",
        criteria: Object.fromEntries(tools.map((tool) => [`${tool.label} ${letters(round)}`, tool.description])),
      };
    default:
      return {
        type: "score",
        criteria: [`not at all ${letters(round)}`, first.label, second.label, `${first.label} and ${second.label}`],
      };
  }
}

/** Spells a number as a distinct word, because the tokenizer treats all digits alike. */
function letters(round: number): string {
  return String(round).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
}

interface Answered {
  readonly wall: number;
  readonly total: number;
}

async function ask(url: string, state: string, questions: object): Promise<Answered> {
  const body = JSON.stringify({ state, questions });
  const startedAt = performance.now();
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${url}/v1/systemone`, { method: "POST", headers, body });
  const text = await answer.text();
  const wall = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`the router returned ${answer.status}: ${text.slice(0, 300)}`);
  const total = /total;dur=([\d.]+)/.exec(answer.headers.get("server-timing") ?? "")?.[1];
  return { wall, total: Number(total) };
}
