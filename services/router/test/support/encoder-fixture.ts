/** A router with custom heads on a sentence encoder from the fake runtime, in this process and in training threads. */
import { encoderFolder, STAND_IN } from "../../../../packages/decisions/test/support/encoder-folder.ts";
import { ran } from "../../../../packages/decisions/test/support/stand-in-onnx.ts";
import { trainingRequest } from "./training-requests.ts";
import { createFixture, type FixtureOptions } from "./create-fixture.ts";

export async function createEncoderFixture(options: Omit<FixtureOptions, "encoder"> = {}) {
  await using opened = new AsyncDisposableStack();
  const { folder } = opened.use(await encoderFolder());
  const fixture = opened.use(await createFixture({ ...options, encoder: { folder, runtime: STAND_IN } }));
  const running = opened.move();
  return {
    fixture,
    folder,
    async train(more: Readonly<Record<string, unknown>> = {}) {
      const response = await fixture.ask("/v1/heads", { body: trainingRequest(more), headers: { prefer: "wait=60" } });
      return response.json();
    },
    async ask(url: string, body: unknown) {
      return (await fixture.ask(url, { body })).json();
    },
    /** Number of encoder runs. */
    async runsOf(work: () => Promise<unknown>): Promise<number> {
      const before = ran.length;
      await work();
      return ran.length - before;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
