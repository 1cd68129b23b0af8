/**
 * The load, in a process of its own: so many clients, each of which asks again as soon as it has its answer. It tells its parent how long
 * each answer took, and where the services say that the time went.
 */
import { Pool } from "undici";
import { distinctTexts } from "../../../packages/decisions/bench/texts.ts";

export interface Load {
  readonly url: string;
  /** Clients take turns with them; none where nobody pays. */
  readonly tokens: readonly string[];
  readonly clients: number;
  readonly milliseconds: number;
  readonly seed: number;
}

export interface Loaded {
  readonly latencies: readonly number[];
  /** Answers that were no 200: on a machine too busy to decide within two seconds, 503. */
  readonly refused: number;
  readonly wallMs: number;
  /** Durations of `Server-Timing` by name, each as many as there are answers. */
  readonly parts: Readonly<Record<string, readonly number[]>>;
}

const CHARACTERS = 60;
/** Asked in turn, so that no cache of whole answers could help, and drawing them costs nothing meanwhile. */
const TEXTS = 5000;

process.on("message", (load: Load) => void run(load).then((loaded) => process.send?.(loaded)));
process.on("disconnect", () => process.exit(0));

async function run({ url, tokens, clients, milliseconds, seed }: Load): Promise<Loaded> {
  const texts = distinctTexts(TEXTS, CHARACTERS, seed);
  const pool = new Pool(url, { connections: clients });
  const latencies: number[] = [];
  const parts: Record<string, number[]> = {};
  let refused = 0;
  let asked = 0;
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, place) => live(tokens[place % Math.max(1, tokens.length)])));
  const wallMs = performance.now() - begun;
  await pool.destroy();
  return { latencies, refused, wallMs, parts };

  async function live(token: string | undefined): Promise<void> {
    const headers = { "content-type": "application/json", ...(token !== undefined && { "x-rail-wallet": token }) };
    while (performance.now() - begun < milliseconds) {
      const body = JSON.stringify({ state: texts[asked++ % TEXTS] });
      const sent = performance.now();
      const answer = await pool.request({ method: "POST", path: "/v1/route", headers, body });
      await answer.body.arrayBuffer();
      if (answer.statusCode !== 200) {
        refused++;
        continue;
      }
      latencies.push(performance.now() - sent);
      note(String(answer.headers["server-timing"] ?? ""));
    }
  }

  function note(timing: string): void {
    for (const [, name = "", duration] of timing.matchAll(/(\w+);dur=([\d.]+)/g))
      (parts[name] ??= []).push(Number(duration));
  }
}
