/**
 * Measures 400 questions in one call (one decision), alternating between gateway and router, against the limit in the
 * contract.
 */
import { Pool } from "undici";
import { questionsOf } from "../../router/bench/questions-figures.ts";
import { median } from "@triptych/util";
import { ms, progress, type Figures } from "../../../packages/decisions/bench/report.ts";
import { generateTexts } from "../../../packages/decisions/bench/texts.ts";
import type { Product } from "./open-product.ts";

const BAR_MS = 20;
/** Two calls per round, the same warm-up as in the router's benchmark. */
const WARM_UP_ROUNDS = 20;
const CHARACTERS = 200;

export async function measureQuestions(
  { gateway, router, tokens }: Product,
  { rounds }: { readonly rounds: number },
): Promise<Figures> {
  const texts = generateTexts(4 * (rounds + WARM_UP_ROUNDS), CHARACTERS, 5);
  const next = () => texts.pop() ?? "";
  await using clients = new AsyncDisposableStack();
  const [ofGateway, ofRouter] = [gateway.url, router.url].map((url) =>
    clients.adopt(new Pool(url), (pool) => pool.close()),
  );
  const paid = { first: [] as number[], repeated: [] as number[] };
  const bare = { first: [] as number[], repeated: [] as number[] };
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    // Gateway and router get different questions, because the router caches texts.
    for (const [index, { into, client, token }] of [
      { into: paid, client: ofGateway, token: tokens[0] ?? "" },
      { into: bare, client: ofRouter, token: null },
    ].entries()) {
      const questions = questionsOf(2 * round + index);
      const first = await ask(client, token, { state: next(), questions });
      const repeated = await ask(client, token, { state: next(), questions });
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

/** Avoids the overhead of `fetch`: each call sends 200 KB on the same CPUs that decide. */
async function ask(client: Pool, token: string | null, question: object): Promise<number> {
  const body = JSON.stringify(question);
  const startedAt = performance.now();
  const answer = await client.request({
    method: "POST",
    path: "/v1/systemone",
    headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
    body,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text.slice(0, 300)}`);
  return performance.now() - startedAt;
}
