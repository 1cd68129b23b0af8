/** A listening panel, a leased run, and its bus. */
import { busItem } from "./bus.ts";
import { openEvents } from "./event-client.ts";
import { createLeasedRun } from "./leased-run.ts";
import { createFixture } from "./create-fixture.ts";

export function busItems(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => busItem(from + index));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export const FAILED = { result: { code: "agent_error", message: "" } } as const;

export async function createBusFixture() {
  const fixture = await createFixture();
  const run = await createLeasedRun(fixture);
  await fixture.server.listen({ host: "127.0.0.1", port: 0 });
  const { id, owner, token } = run;
  return {
    ...fixture,
    run,
    authorization: { authorization: `Bearer ${token}` },
    say: (...wseqs: readonly [number, number]) => fixture.bus.ingest(owner, id, 1, busItems(...wseqs)),
    read: async (query = "", headers: Record<string, string> = {}) =>
      fixture.ask("GET", run.path + query, { token, headers }),
    listen: (query = "", headers: Record<string, string> = {}) =>
      openEvents(`${addressOf(fixture)}${run.path}${query}`, {
        authorization: `Bearer ${token}`,
        ...headers,
      }),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

export function addressOf({ server }: Awaited<ReturnType<typeof createFixture>>): string {
  const address = server.fastify.server.address();
  if (address === null || typeof address === "string") throw new Error("the panel does not listen");
  return `http://127.0.0.1:${address.port}`;
}
