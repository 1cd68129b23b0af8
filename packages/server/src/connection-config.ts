/** Variables that limit open connections, with the same names in every service. */
import { Type } from "typebox";
import type { ConnectionLimits } from "./connections.ts";

interface ConnectionConfig {
  readonly MAX_CONNECTIONS: number;
  readonly MAX_CONNECTIONS_PER_ADDRESS: number;
}

export function connectionVariables({ max = 2_000, maxPerAddress = 500 }: Partial<ConnectionLimits> = {}) {
  return {
    MAX_CONNECTIONS: Type.Integer({
      default: max,
      minimum: 1,
      maximum: 1_000_000,
      description: "maximum open connections, 1 or more",
    }),
    MAX_CONNECTIONS_PER_ADDRESS: Type.Integer({
      default: maxPerAddress,
      minimum: 1,
      maximum: 1_000_000,
      description: "maximum open connections per address, 1 or more; loopback and TRUSTED_PROXIES are exempt",
    }),
  };
}

export function connectionLimits(config: ConnectionConfig): ConnectionLimits {
  return { max: config.MAX_CONNECTIONS, maxPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS };
}
