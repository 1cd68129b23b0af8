/** Labels exclude account, repo, run and branch. */
import type { FollowUpCause, RepoProvider } from "@triptych/contracts";
import { Counter, Gauge, type Registry } from "prom-client";
import type { EffectKind, EffectRefusal } from "../domain/effects.ts";
import type { SystemQueries } from "../domain/repositories.ts";

export interface DeliveryMeter {
  readonly effectTried: (kind: EffectKind, refusal: EffectRefusal | null) => void;
  readonly followUp: (cause: FollowUpCause, result: string) => void;
  /** Null without a response. */
  readonly forgeAnswered: (provider: RepoProvider, status: number | null) => void;
}

export const NO_METER: DeliveryMeter = { effectTried: () => {}, followUp: () => {}, forgeAnswered: () => {} };

export interface DeliveryMetrics extends DeliveryMeter {
  readonly showIn: (registry: Registry) => void;
}

export function createDeliveryMetrics({ countEffects }: Pick<SystemQueries, "countEffects">): DeliveryMetrics {
  const effects = new Gauge({
    name: "panel_effects",
    help: "Queued pushes and pull requests, and watched open pull requests.",
    labelNames: ["kind", "state"] as const,
    registers: [],
    async collect() {
      this.reset();
      for (const { kind, state, count } of await countEffects()) this.set({ kind, state }, count);
    },
  });
  const attempts = new Counter({
    name: "panel_effect_attempts_total",
    help: "Attempts of pushes and pull requests, by result: ok or the error code.",
    labelNames: ["kind", "result"] as const,
    registers: [],
  });
  const requests = new Counter({
    name: "panel_forge_requests_total",
    help: "Requests to forge APIs, by status; none for no response.",
    labelNames: ["provider", "status"] as const,
    registers: [],
  });
  const followUps = new Counter({
    name: "panel_follow_ups_total",
    help: "Follow-up runs, by cause and result: started, pushed, or the error code.",
    labelNames: ["cause", "result"] as const,
    registers: [],
  });
  return {
    followUp: (cause, result) => followUps.inc({ cause, result }),
    effectTried: (kind, refusal) => attempts.inc({ kind, result: refusal?.code ?? "ok" }),
    forgeAnswered: (provider, status) => requests.inc({ provider, status: status ?? "none" }),
    showIn(registry) {
      registry.registerMetric(effects);
      registry.registerMetric(attempts);
      registry.registerMetric(requests);
      registry.registerMetric(followUps);
    },
  };
}
