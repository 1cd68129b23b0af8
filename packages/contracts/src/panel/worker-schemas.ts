import { Type, type Static } from "typebox";
import { ISOLATION_LEVELS } from "./limits.ts";
import { strictObject, count, nullable, time } from "./schema-helpers.ts";

const text = Type.String();
const textOrNull = nullable(text);
const PROBE_ERRORS = ["timeout", "auth", "model_not_found", "network", "cli_missing", "rate_limited"] as const;
const probed = {
  cli: text,
  model: text,
  ok: Type.Boolean(),
  latency_ms: count,
  error: nullable(strictObject({ code: Type.Enum([...PROBE_ERRORS]), message: text })),
  checked_at: time,
};

export const Worker = strictObject(
  {
    id: text,
    name: text,
    enabled: Type.Boolean(),
    connected: Type.Boolean(),
    health: Type.Enum(["disabled", "offline", "stale", "degraded", "online"]),
    cli: textOrNull,
    model: textOrNull,
    agents: Type.Array(
      strictObject({ cli: text, version: text, adapter: text, models: Type.Array(text) }, { title: "WorkerAgent" }),
    ),
    slots: strictObject({ total: count, busy: count }),
    runs: Type.Array(text),
    isolation: Type.Enum([...ISOLATION_LEVELS], { title: "IsolationLevel" }),
    warnings: Type.Array(Type.Enum(["no_sandbox", "isolation_below_minimum"]), {
      description:
        "`no_sandbox`: commands run with the permissions of the worker's user, and the network policy is not enforced. `isolation_below_minimum`: the level is below the operator's minimum, so this worker gets no runs.",
    }),
    os: text,
    version: text,
    last_seen_at: time,
    rtt_ms: nullable(Type.Number({ minimum: 0 })),
    outbox: strictObject({ pending: count, limit: count }),
    key_current: Type.Boolean(),
    embedded: Type.Boolean(),
    probes: Type.Array(strictObject(probed, { title: "WorkerProbe" })),
  },
  { title: "Worker" },
);
export type Worker = Static<typeof Worker>;

export const WorkerStatus = strictObject(
  {
    workers: Type.Array(Worker),
    summary: strictObject(
      {
        connected: count,
        slots: count,
        busy: count,
        queued: count,
        oldest_queued_s: count,
      },
      { title: "WorkerSummary" },
    ),
  },
  { title: "WorkerStatus" },
);
export type WorkerStatus = Static<typeof WorkerStatus>;

export const WorkerModels = strictObject(
  {
    cli: text,
    models: Type.Array(
      strictObject(
        {
          id: text,
          workers: Type.Array(text),
          source: Type.Enum(["cli", "config"]),
          default: Type.Boolean(),
        },
        { title: "WorkerModel" },
      ),
    ),
    workers: count,
    as_of: time,
  },
  { title: "WorkerModels" },
);
export type WorkerModels = Static<typeof WorkerModels>;

export const ProbeResult = strictObject({ ...probed, worker_id: textOrNull }, { title: "ProbeResult" });
export type ProbeResult = Static<typeof ProbeResult>;
