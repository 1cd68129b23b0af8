import type { Logger } from "pino";
import { watchLowBalance } from "./domain/low-balance.ts";
import type { Rail } from "./domain/rail.ts";
import type { ChargeMetrics } from "./http/gateway.ts";
import type { LevelWatch } from "./http/wallets.ts";
import type { RailMetrics } from "./metrics.ts";

export function watchCharges(
  rail: Rail,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: RailMetrics },
): ChargeMetrics & LevelWatch {
  const balances = watchLowBalance(rail);
  return {
    voided: metrics.voided,
    levelChanged: balances.levelChanged,
    charged(outcome) {
      metrics.charged(outcome);
      if (outcome.status !== 201) return;
      balances
        .charged(outcome.charge)
        .catch((error: unknown) => logger.error({ err: error }, "sending the low-balance mail failed"));
    },
  };
}
