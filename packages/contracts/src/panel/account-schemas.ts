import { Type, type Static } from "typebox";
import { MEMORY_KINDS, MEMORY_STATUSES, PLANS, SCOPES } from "./limits.ts";
import { strictObject, count, nullable, time, timeOrNull } from "./schema-helpers.ts";

export const Account = strictObject(
  {
    id: Type.String(),
    email: Type.String(),
    created_at: time,
    status: Type.Enum(["active", "suspended"]),
    plan: strictObject({
      id: Type.Enum([...PLANS], { title: "Plan" }),
      features: strictObject({ explore: Type.Boolean(), parallel_runs: count }),
      limits: strictObject({
        repos: count,
        runs_per_month: count,
        explores_per_day: count,
        workers: nullable(count),
        memories_per_repo: count,
        retention_days: count,
      }),
    }),
    // Tokens, cost and time of agents in the current calendar month, as reported by runs.
    usage: strictObject({
      period_start: time,
      period_end: time,
      runs: count,
      explores_today: count,
      repos: count,
      agent_seconds: count,
      cost_micro: count,
      input_tokens: count,
      output_tokens: count,
    }),
    license: strictObject({
      generation: Type.Integer({ minimum: 1 }),
      rotated_at: timeOrNull,
      workers_connected: count,
    }),
  },
  { title: "Account" },
);
export type Account = Static<typeof Account>;

export const SignedIn = strictObject(
  { account: Account, csrf_token: Type.String(), expires_at: time },
  { title: "Session" },
);

export const License = strictObject({ license_key: Type.String() }, { title: "License" });
export const RotatedLicense = strictObject(
  {
    license_key: Type.String(),
    notified_workers: Type.Boolean(),
    notified_workers_count: count,
  },
  { title: "RotatedLicense" },
);

export const scopes = Type.Array(Type.Enum([...SCOPES], { title: "Scope" }), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
});
export const tokenName = Type.String({ minLength: 1, maxLength: 80, pattern: "\\S" });

const tokenProperties = {
  id: Type.String(),
  name: tokenName,
  scopes,
  created_at: time,
  expires_at: timeOrNull,
};
export const AccessToken = strictObject(tokenProperties, { title: "AccessToken" });
export type AccessToken = Static<typeof AccessToken>;
export const CreatedToken = strictObject(
  { ...tokenProperties, token: Type.String({ description: "shown once" }) },
  { title: "CreatedToken" },
);

export const memoryScope = nullable(
  Type.String({ minLength: 1, maxLength: 200, description: "a glob pattern for paths" }),
);
export const Memory = strictObject(
  {
    id: Type.String(),
    repo_id: Type.String(),
    text: Type.String(),
    kind: Type.Enum([...MEMORY_KINDS], { title: "MemoryKind" }),
    source: Type.Enum(["user", "agent"]),
    status: Type.Enum([...MEMORY_STATUSES], { title: "MemoryStatus" }),
    pinned: Type.Boolean(),
    scope: memoryScope,
    hits: count,
    last_used_at: timeOrNull,
    created_at: time,
  },
  { title: "Memory" },
);
export type Memory = Static<typeof Memory>;
