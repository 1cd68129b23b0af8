/** What follows a charge beside its answer: it is counted, and the owner of a wallet that runs low is told. */
import type { Logger } from "pino";
import { watchLowBalance } from "./domain/low-balance.ts";
import type { Rail } from "./domain/rail.ts";
import type { ChargeWatch } from "./http/gateway.ts";
import type { RailMetrics } from "./metrics.ts";

export function watchCharges(
  rail: Rail,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: RailMetrics },
): ChargeWatch {
  const look = watchLowBalance(rail);
  return {
    voided: metrics.voided,
    charged(outcome) {
      metrics.charged(outcome);
      if (outcome.status !== 201) return;
      look(outcome.charge).catch((error: unknown) => logger.error({ err: error }, "a warning could not be sent"));
    },
  };
}
