/** Limits of open connections from their variables. */
import type { ConnectionLimits } from "./connections.ts";

interface ConnectionConfig {
  readonly MAX_CONNECTIONS: number;
  readonly MAX_CONNECTIONS_PER_ADDRESS: number;
}

export function connectionLimits(config: ConnectionConfig): ConnectionLimits {
  return { max: config.MAX_CONNECTIONS, maxPerAddress: config.MAX_CONNECTIONS_PER_ADDRESS };
}
