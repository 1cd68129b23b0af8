/**
 * Whom the foreign clients talk to, and all that a test may know of it: the address, the key that they send as Bearer, further headers.
 * Two routers, as a person starts them: one is open, the other wants a token.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { freePort, startRouter } from "../processes.ts";

export interface Counterpart {
  /** Root address, without `/v1`. */
  readonly url: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Watched extends Counterpart {
  /** Everything it has written so far. */
  said(): string;
}

const TOKEN = "a-token-of-the-end-to-end-test";

const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
const folder = await mkdtemp(join(tmpdir(), "e2e-clients-"));
opened.defer(() => rm(folder, { recursive: true }));

export const open = await start({ name: "open", key: "any", environment: {} });
export const locked = await start({ name: "locked", key: TOKEN, environment: { ROUTER_TOKEN: TOKEN } });

interface Kind {
  readonly name: string;
  readonly key: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function start({ name, key, environment }: Kind): Promise<Watched> {
  const port = String(await freePort());
  const router = await startRouter({ TRIPTYCH_DATA: join(folder, name), ROUTER_PORT: port, ...environment });
  opened.use(router);
  // Where a test file cannot even be loaded, no hook runs: nothing of ours may outlive this process.
  process.once("exit", () => router.child.kill());
  return { url: `http://127.0.0.1:${port}`, key, headers: {}, said: () => router.said() };
}
