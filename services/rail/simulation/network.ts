/**
 * The network between processes. Requests and responses may be lost, duplicated, delayed or reordered. A request may
 * still arrive after its sender has timed out.
 */
import type { Rates } from "./scenario.ts";
import type { Process, World } from "./world.ts";

export interface Server<Q, A> {
  /** The current process, if any. */
  readonly process: () => Process | null;
  readonly handle: (question: Q) => Promise<A>;
}

export class Unreachable extends Error {
  constructor(why: string) {
    super(why);
    this.name = "Unreachable";
  }
}

export interface Network {
  ask<Q, A>(from: Process, server: Server<Q, A>, question: Q): Promise<A>;
}

const TIMEOUT_MS = 1000;

export function createNetwork(world: World, rates: Rates): Network {
  const { chance } = world;
  return {
    ask: (from, server, question) =>
      new Promise((resolve, reject) => {
        const stop = world.after(TIMEOUT_MS, from, () => reject(new Unreachable("response timeout")));
        send();
        if (chance.hits(rates.of("duplicates"))) send();

        function send(): void {
          if (chance.hits(rates.of("loss"))) return world.note("a request was lost");
          world.after(delay(), null, arrive);
        }

        function arrive(): void {
          const there = server.process();
          if (there === null || !there.alive) {
            world.after(0.3, from, () => reject(new Unreachable("connection refused")));
            return;
          }
          world.after(0, there, () => world.run(answer()));
        }

        async function answer(): Promise<void> {
          const reply = await server.handle(question).then(
            (value) => () => {
              stop();
              resolve(value);
            },
            (error: unknown) => {
              if (error instanceof Unreachable) return () => reject(error);
              throw error;
            },
          );
          if (chance.hits(rates.of("loss"))) return world.note("a response was lost");
          world.after(delay(), from, reply);
        }
      }),
  };

  function delay(): number {
    if (!chance.hits(rates.of("delays"))) return 0.1 + 2 * chance.next();
    world.note("a message was late");
    return chance.hits(0.1) ? 45_000 * chance.next() : 1500 * chance.next();
  }
}
