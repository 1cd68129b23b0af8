/** A transparent proxy to the panel that can cut all open connections. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Cuts all open connections; returns how many of them were bus streams. */
  cut(): number;
}

const BUS = /^GET \/api\/runs\/[^/ ]+\/bus/m;

export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Map<Socket, { carriesBus: boolean }>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const line = { carriesBus: false };
    open.set(near, line);
    near.on("data", (bytes) => {
      if (BUS.test(bytes.toString("latin1"))) line.carriesBus = true;
    });
    near.pipe(far).pipe(near);
    for (const side of [near, far])
      side
        .on("error", () => undefined)
        .on("close", () => {
          open.delete(near);
          near.destroy();
          far.destroy();
        });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no address");
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut() {
      const lines = [...open];
      for (const [near] of lines) near.destroy();
      return lines.filter(([, { carriesBus }]) => carriesBus).length;
    },
    async [Symbol.asyncDispose]() {
      for (const near of open.keys()) near.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
