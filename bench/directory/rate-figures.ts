/**
 * Measures requests per core for all query classes mixed, and the share of metering. One server process is measured in
 * short alternating stretches: full metering, key lookup only, no authentication. Several processes are measured,
 * because two runs of one program differ too. The writer thread finishes a stretch's usage rows before the stretch
 * ends.
 */
import type { Door } from "../../services/directory/bench/http-admission.ts";
import { CONNECTIONS, mixedOf, type HttpOptions, type Scene, type ServerChild } from "./http-fixture.ts";
import { milliseconds, perSecond, progress, type Figures } from "./report.ts";
import { median, quantile } from "./statistics.ts";

const RATE_BAR = 2000;
const METERING_BAR = 0.05;
const STRETCH_SECONDS = 0.5;
/** Rotates the start, so that no mode always follows the garbage of the same other. */
const ORDERS: readonly (readonly Door[])[] = [
  ["metering", "keys only", "open"],
  ["open", "keys only", "metering"],
];

/** CPU milliseconds per request, of all threads and of the serving one; requests per second. */
interface Stretch {
  readonly cpu: number;
  readonly serving: number;
  readonly wall: number;
}

type Round = Readonly<Record<Door, Stretch>>;

export interface RateScene extends Pick<Scene, "label" | "client" | "paths"> {
  startDoors(): ServerChild;
}

export async function measureRates({ items, seconds, runs }: HttpOptions, scene: RateScene): Promise<Figures> {
  const { label } = scene;
  const rounds: Round[] = [];
  for (let run = 1; run <= runs; run++) {
    progress(`http: full load, server ${run} of ${runs}`);
    rounds.push(...(await roundsOfServer(scene, (seconds * 2) / STRETCH_SECONDS)));
  }
  const figure = (door: Door, key: keyof Stretch) => median(rounds.map((round) => round[door][key]));
  const rate = 1000 / figure("metering", "cpu");
  const row = (name: string, door: Door) => [
    name,
    milliseconds(figure(door, "cpu")),
    milliseconds(figure(door, "serving")),
    perSecond(1000 / figure(door, "cpu")),
    perSecond(figure(door, "wall")),
  ];
  const costs = (door: Door, key: "cpu" | "serving") => rounds.map((round) => round[door][key] / round.open[key] - 1);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const whole = costs("metering", "cpu");
  return {
    goals: [
      {
        goal: `requests/s per core, ${items.toLocaleString("en-US")}, mixed, with metering${label}`,
        bar: `>= ${perSecond(RATE_BAR)}`,
        measured: `${perSecond(rate)} a second of CPU, all threads counted (${perSecond(figure("metering", "wall"))} a second of wall time)`,
        met: rate >= RATE_BAR,
      },
      {
        goal: `cost of metering${label}`,
        bar: "< 5 % of a request",
        measured:
          `${percent(median(whole))} of CPU with the writer's thread (half of the rounds ${percent(quantile(whole, 0.25))} to ` +
          `${percent(quantile(whole, 0.75))}); ${percent(median(costs("metering", "serving")))} of the serving thread, ` +
          `${percent(median(costs("keys only", "serving")))} of it for finding the key`,
        met: median(whole) < METERING_BAR,
      },
    ],
    tables: [
      {
        title: `Full load, ${CONNECTIONS} connections, mixed classes, ${rounds.length} stretches of ${STRETCH_SECONDS} s each${label}`,
        heads: ["door", "CPU a request", "of the serving thread", "requests/s of CPU", "requests/s of wall time"],
        rows: [row("with metering", "metering"), row("keys only", "keys only"), row("open door", "open")],
      },
    ],
  };
}

async function roundsOfServer({ client, paths, startDoors }: RateScene, count: number): Promise<Round[]> {
  await using server = startDoors();
  const url = await server.ask("url");
  const mixed = mixedOf(paths);
  const stretch = async (door: Door): Promise<Stretch> => {
    await server.ask("use", door);
    const before = await server.ask("cpu");
    const saturation = { url, paths: mixed, connections: CONNECTIONS, seconds: STRETCH_SECONDS };
    const { answered, seconds } = await client.ask("saturate", saturation);
    await server.ask("use", door);
    const after = await server.ask("cpu");
    return {
      cpu: (after.all - before.all) / answered,
      serving: (after.serving - before.serving) / answered,
      wall: answered / seconds,
    };
  };
  const rounds: Round[] = [];
  // Warm-up, because the service runs for weeks.
  for (let round = -WARM_ROUNDS; round < count; round++) {
    const found = new Map<Door, Stretch>();
    for (const door of ORDERS[Math.abs(round) % ORDERS.length]) found.set(door, await stretch(door));
    // Every order contains each mode.
    if (round >= 0) rounds.push(Object.fromEntries(found) as Record<Door, Stretch>);
  }
  return rounds;
}

const WARM_ROUNDS = 4;
