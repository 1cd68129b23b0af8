/** Limits open connections. Each one costs memory, and its client is unknown until the first request. */
import { BlockList, isIP } from "node:net";
import type { Server as HttpServer } from "node:http";
import type { Metrics } from "./metrics.ts";

export interface ConnectionLimits {
  readonly max: number;
  readonly maxPerAddress: number;
  /** Addresses that only `max` limits. Default: loopback and trusted proxies. */
  readonly isExempt?: (address: string) => boolean;
}

export interface ConnectionOptions extends ConnectionLimits {
  readonly trustedProxies: readonly string[];
  readonly metrics: Metrics;
}

export function limitConnections(server: HttpServer, options: ConnectionOptions): void {
  const { max, maxPerAddress, trustedProxies, metrics, isExempt = exemptOf(trustedProxies) } = options;
  const perAddress = new Map<string, number>();
  let open = 0;
  metrics.watchConnections(() => open);
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const own = perAddress.get(address) ?? 0;
    if (open >= max || (own >= maxPerAddress && !isExempt(address))) {
      metrics.connectionRefused(open >= max ? "total" : "address");
      socket.destroy();
      return;
    }
    open += 1;
    perAddress.set(address, own + 1);
    socket.once("close", () => {
      open -= 1;
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  });
}

function exemptOf(trustedProxies: readonly string[]): (address: string) => boolean {
  const exempt = new BlockList();
  exempt.addSubnet("127.0.0.0", 8, "ipv4");
  exempt.addAddress("::1", "ipv6");
  for (const proxy of trustedProxies) {
    const [address, prefix] = proxy.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) exempt.addAddress(address, family);
    else exempt.addSubnet(address, Number(prefix), family);
  }
  return (address) => isIP(address) !== 0 && exempt.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The variables of a service that limit open connections. */
interface ConnectionConfig {
  readonly MAX_CONNECTIONS: number;
  readonly MAX_CONNECTIONS_PER_ADDRESS: number;
}

export function connectionLimits(config: ConnectionConfig): ConnectionLimits {
  return { max: config.MAX_CONNECTIONS, maxPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS };
}
