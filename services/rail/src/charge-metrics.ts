import type { Logger } from "pino";
import { watchCapAlerts } from "./domain/cap-alerts.ts";
import { watchLowBalance, watchThresholds } from "./domain/low-balance.ts";
import type { Rail } from "./domain/rail.ts";
import type { ChargeMetrics } from "./http/gateway.ts";
import type { LevelWatch } from "./http/wallets.ts";
import type { RailMetrics } from "./metrics.ts";

export function watchCharges(
  rail: Rail,
  { logger, metrics }: { readonly logger: Logger; readonly metrics: RailMetrics },
): ChargeMetrics & LevelWatch {
  const balances = watchLowBalance(rail);
  const thresholds = watchThresholds(rail);
  const alerts = watchCapAlerts(rail);
  return {
    voided: metrics.voided,
    levelChanged(walletId) {
      balances.levelChanged(walletId);
      thresholds.levelChanged(walletId);
      alerts.capsChanged(walletId);
    },
    charged(outcome) {
      metrics.charged(outcome);
      if (outcome.status !== 201) return;
      balances
        .charged(outcome.charge)
        .catch((error: unknown) => logger.error({ err: error }, "sending the low-balance mail failed"));
      alerts
        .charged(outcome.charge.walletId, outcome.charge.tokenId)
        .catch((error: unknown) => logger.error({ err: error }, "sending the cap alert failed"));
      // Runs after the response to the gateway. The reconciler retries what fails here.
      thresholds
        .charged(outcome.charge)
        .catch((error: unknown) => logger.error({ err: error }, "automatic top-up failed; retrying"));
    },
  };
}
