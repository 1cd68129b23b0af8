/**
 * How many requests a core answers, all query classes mixed: with metering, with a door that only finds the caller's key, and with one
 * that lets everybody in. The servers run all the time and are asked in turn, a second each: what a shared machine does in longer
 * stretches is more than what metering costs.
 */
import { CONNECTIONS, mixedOf, type HttpOptions, type Scene, type ServerChild } from "./http-scene.ts";
import { milliseconds, perSecond, progress, type Figures } from "./report.ts";
import { median } from "./statistics.ts";

const RATE_BAR = 2000;
const METERING_BAR = 0.05;
const STRETCH_SECONDS = 1;

/** Processor milliseconds a request, of all threads and of the one that serves; requests a second. */
interface Stretch {
  readonly cpu: number;
  readonly serving: number;
  readonly wall: number;
}

export async function measureRates(
  { items, seconds, runs }: HttpOptions,
  { label, client, paths, product, known, unmetered }: Scene,
): Promise<Figures> {
  const mixed = mixedOf(paths);
  const stretch = async (server: ServerChild) => {
    const url = await server.ask("url");
    const before = await server.ask("cpu");
    const saturation = { url, paths: mixed, connections: CONNECTIONS, seconds: STRETCH_SECONDS };
    const { answered, seconds: took } = await client.ask("saturate", saturation);
    const after = await server.ask("cpu");
    return {
      cpu: (after.all - before.all) / answered,
      serving: (after.serving - before.serving) / answered,
      wall: answered / took,
    };
  };
  const [metered, found, free]: [Stretch[], Stretch[], Stretch[]] = [[], [], []];
  const turns = [
    { server: product, stretches: metered },
    { server: known, stretches: found },
    { server: unmetered, stretches: free },
  ];
  for (const { server } of turns) await stretch(server);
  const rounds = runs * 2 * seconds;
  for (let round = 0; round < rounds; round++) {
    if (round % seconds === 0) progress(`http: full load, second ${round + 1} of ${rounds}`);
    // Who begins changes, so that none always follows the garbage of the same other.
    for (const { server, stretches } of round % 2 === 0 ? turns : turns.toReversed())
      stretches.push(await stretch(server));
  }
  const figure = (of: readonly Stretch[], key: keyof Stretch) => median(of.map((one) => one[key]));
  const cpu = (of: readonly Stretch[]) => figure(of, "cpu");
  const wall = (of: readonly Stretch[]) => figure(of, "wall");
  const rate = 1000 / cpu(metered);
  const row = (name: string, of: readonly Stretch[]) => [
    name,
    milliseconds(cpu(of)),
    milliseconds(figure(of, "serving")),
    perSecond(1000 / cpu(of)),
    perSecond(wall(of)),
  ];
  const costOf = (of: readonly Stretch[], key: "cpu" | "serving") =>
    median(of.map((one, round) => one[key] / free[round][key])) - 1;
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return {
    goals: [
      {
        goal: `requests/s per core, ${items.toLocaleString("en-US")}, mixed, with metering${label}`,
        bar: `>= ${perSecond(RATE_BAR)}`,
        measured: `${perSecond(rate)} a second of CPU, all threads counted (${perSecond(wall(metered))} a second of wall time)`,
        met: rate >= RATE_BAR,
      },
      {
        goal: `cost of metering${label}`,
        bar: "< 5 % of a request",
        measured:
          `${percent(costOf(metered, "cpu"))} of CPU with the writer's thread; ${percent(costOf(metered, "serving"))} of the serving ` +
          `thread, ${percent(costOf(found, "serving"))} of it for finding the key`,
        met: costOf(metered, "cpu") < METERING_BAR,
      },
    ],
    tables: [
      {
        title: `Full load, ${CONNECTIONS} connections, mixed classes, ${rounds} stretches of ${STRETCH_SECONDS} s each${label}`,
        heads: ["server", "CPU a request", "of the serving thread", "requests/s of CPU", "requests/s of wall time"],
        rows: [row("with metering", metered), row("keys only", found), row("open door", free)],
      },
    ],
  };
}
