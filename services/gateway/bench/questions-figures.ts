/** 400 questions in one call, which is one decision, through the gateway and of the router alone, in turn; and what the law asks of it. */
import { questionsOf } from "../../router/bench/questions-figures.ts";
import { median, ms, progress, type Figures } from "../../../packages/decisions/bench/report.ts";
import { distinctTexts } from "../../../packages/decisions/bench/texts.ts";
import type { Product } from "./open-product.ts";

const BAR_MS = 20;
/** Two calls each: warmed up as far as the bench of the router alone. */
const WARM_UP_ROUNDS = 20;
const CHARACTERS = 200;

export async function measureQuestions(
  { gateway, router, tokens }: Product,
  { rounds }: { readonly rounds: number },
): Promise<Figures> {
  const texts = distinctTexts(4 * (rounds + WARM_UP_ROUNDS), CHARACTERS, 5);
  const next = () => texts.pop() ?? "";
  const paid = { first: [] as number[], repeated: [] as number[] };
  const bare = { first: [] as number[], repeated: [] as number[] };
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    // Each of the two is the first to ask questions of its own: the router keeps what it has read.
    for (const [place, { into, url, token }] of [
      { into: paid, url: gateway.url, token: tokens[0] ?? "" },
      { into: bare, url: router.url, token: null },
    ].entries()) {
      const questions = questionsOf(2 * round + place);
      const first = await ask(url, token, { state: next(), questions });
      const repeated = await ask(url, token, { state: next(), questions });
      if (round < WARM_UP_ROUNDS) continue;
      into.first.push(first);
      into.repeated.push(repeated);
    }
    progress(`400 questions, round ${round + 1}`);
  }
  const rowOf = (goal: string, which: "first" | "repeated") => ({
    goal,
    bar: ms(BAR_MS),
    measured: `${ms(median(paid[which]))}; router alone ${ms(median(bare[which]))}`,
    met: median(paid[which]) < BAR_MS,
  });
  return {
    goals: [rowOf("400 new questions in one call", "first"), rowOf("400 questions, repeated", "repeated")],
    tables: [],
  };
}

async function ask(url: string, token: string | null, body: object): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${url}/v1/systemone`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
  return performance.now() - begun;
}
