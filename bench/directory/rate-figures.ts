/**
 * Measures requests per core with all query classes mixed, and the share that metering takes. One server process is measured in
 * short alternating stretches: full metering, key lookup only, no authentication. Several processes are measured,
 * because two runs of one program differ too. The writer thread finishes a stretch's usage rows before the stretch
 * ends.
 */
import type { AuthMode } from "../../services/directory/bench/http-admission.ts";
import { CONNECTIONS, mixedOf, type HttpOptions, type Fixture, type ServerChild } from "./http-fixture.ts";
import { milliseconds, perSecond, progress, type Figures } from "./report.ts";
import { median, quantile } from "@triptych/util";

const RATE_BAR = 2000;
/** CPU microseconds per request. */
const METERING_BAR = 25;
const STRETCH_SECONDS = 0.5;
/** Rotates the start, so that no mode always follows the garbage of the same other. */
const ORDERS: readonly (readonly AuthMode[])[] = [
  ["metering", "keys only", "open"],
  ["open", "keys only", "metering"],
];

/** CPU milliseconds per request, of all threads and of the serving one; requests per second. */
interface Stretch {
  readonly cpu: number;
  readonly serving: number;
  readonly wall: number;
}

type Round = Readonly<Record<AuthMode, Stretch>>;

export interface RateFixture extends Pick<Fixture, "label" | "client" | "paths"> {
  startRateServer(): ServerChild;
}

export async function measureRates({ items, seconds, runs }: HttpOptions, fixture: RateFixture): Promise<Figures> {
  const { label } = fixture;
  const rounds: Round[] = [];
  for (let run = 1; run <= runs; run++) {
    progress(`http: full load, server ${run} of ${runs}`);
    rounds.push(...(await roundsOfServer(fixture, (seconds * 2) / STRETCH_SECONDS)));
  }
  const figure = (variant: AuthMode, key: keyof Stretch) => median(rounds.map((round) => round[variant][key]));
  const rate = 1000 / figure("metering", "cpu");
  const row = (name: string, variant: AuthMode) => [
    name,
    milliseconds(figure(variant, "cpu")),
    milliseconds(figure(variant, "serving")),
    perSecond(1000 / figure(variant, "cpu")),
    perSecond(figure(variant, "wall")),
  ];
  const costs = (variant: AuthMode, key: "cpu" | "serving") =>
    rounds.map((round) => (round[variant][key] - round.open[key]) * 1000);
  const microseconds = (value: number) => `${value.toFixed(1)} µs`;
  const whole = costs("metering", "cpu");
  return {
    goals: [
      {
        goal: `requests/s per core, ${items.toLocaleString("en-US")}, mixed, with metering${label}`,
        bar: `>= ${perSecond(RATE_BAR)}`,
        measured: `${perSecond(rate)} per second of CPU, all threads (${perSecond(figure("metering", "wall"))} per second of wall time)`,
        met: rate >= RATE_BAR,
      },
      {
        goal: `cost of metering${label}`,
        bar: `<= ${METERING_BAR} µs of CPU per request`,
        measured:
          `${microseconds(median(whole))} of ${milliseconds(figure("metering", "cpu"))} with the writer's thread (half of the rounds ` +
          `${microseconds(quantile(whole, 0.25))} to ${microseconds(quantile(whole, 0.75))}); ` +
          `${microseconds(median(costs("metering", "serving")))} of the serving thread, ` +
          `${microseconds(median(costs("keys only", "serving")))} for key lookup`,
        met: median(whole) <= METERING_BAR,
      },
    ],
    tables: [
      {
        title: `Full load, ${CONNECTIONS} connections, mixed classes, ${rounds.length} stretches of ${STRETCH_SECONDS} s each${label}`,
        heads: ["mode", "CPU per request", "of the serving thread", "requests/s of CPU", "requests/s of wall time"],
        rows: [row("with metering", "metering"), row("keys only", "keys only"), row("open door", "open")],
      },
    ],
  };
}

async function roundsOfServer({ client, paths, startRateServer }: RateFixture, count: number): Promise<Round[]> {
  await using server = startRateServer();
  const url = await server.ask("url");
  const mixed = mixedOf(paths);
  const stretch = async (variant: AuthMode): Promise<Stretch> => {
    await server.ask("use", variant);
    const before = await server.ask("cpu");
    const saturation = { url, paths: mixed, connections: CONNECTIONS, seconds: STRETCH_SECONDS };
    const { answered, seconds } = await client.ask("saturate", saturation);
    await server.ask("use", variant);
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
    const found = new Map<AuthMode, Stretch>();
    for (const variant of ORDERS[Math.abs(round) % ORDERS.length]) found.set(variant, await stretch(variant));
    // Every order contains all modes.
    if (round >= 0) rounds.push(Object.fromEntries(found) as Record<AuthMode, Stretch>);
  }
  return rounds;
}

const WARM_ROUNDS = 4;
