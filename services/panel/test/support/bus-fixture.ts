/** A panel that listens, a run that is held, and its bus as this account reads it. */
import { word } from "./bus.ts";
import { openEvents } from "./event-client.ts";
import { heldRun } from "./held-run.ts";
import { openScene } from "./create-fixture.ts";

export function words(from: number, to: number) {
  return Array.from({ length: to - from + 1 }, (_, index) => word(from + index));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export const FAILED = { result: { code: "agent_error", message: "" } } as const;

export async function openBusScene() {
  const scene = await openScene();
  const run = await heldRun(scene);
  await scene.server.listen({ host: "127.0.0.1", port: 0 });
  const { id, owner, token } = run;
  return {
    ...scene,
    run,
    authorization: { authorization: `Bearer ${token}` },
    say: (...wseqs: readonly [number, number]) => scene.bus.ingest(owner, id, 1, words(...wseqs)),
    read: async (query = "", headers: Record<string, string> = {}) =>
      scene.ask("GET", run.path + query, { token, headers }),
    listen: (query = "", headers: Record<string, string> = {}) =>
      openEvents(`${addressOf(scene)}${run.path}${query}`, {
        authorization: `Bearer ${token}`,
        ...headers,
      }),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export function addressOf({ server }: Awaited<ReturnType<typeof openScene>>): string {
  const address = server.fastify.server.address();
  if (address === null || typeof address === "string") throw new Error("the panel does not listen");
  return `http://127.0.0.1:${address.port}`;
}
