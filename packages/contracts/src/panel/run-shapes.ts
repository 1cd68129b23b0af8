/** A run as it is answered. What only a worker can say is null until one has said it. */
import { Type, type Static } from "typebox";
import {
  ISOLATION_LEVELS,
  NETWORKS,
  QUEUE_REASONS,
  RESULT_CODES,
  RUN_KINDS,
  RUN_PHASES,
  RUN_STATES,
  RUN_TRIGGERS,
} from "./limits.ts";
import { closed, count, nullable, time, timeOrNull } from "./pieces.ts";
import { Gate, Limits, priority, Team, verifyCommand } from "./settings-shapes.ts";

const text = Type.String();
const textOrNull = nullable(text);

export const Run = closed(
  {
    id: text,
    repo_id: text,
    repo_name: text,
    kind: Type.Enum([...RUN_KINDS]),
    state: Type.Enum([...RUN_STATES]),
    phase: Type.Enum([...RUN_PHASES]),
    queue_reason: nullable(Type.Enum([...QUEUE_REASONS])),
    priority,
    attempt: count,
    max_attempts: count,
    epoch: count,
    trigger: closed({
      type: Type.Enum([...RUN_TRIGGERS]),
      actor: textOrNull,
      candidate_id: textOrNull,
      retry_of: textOrNull,
      scheduled_for: timeOrNull,
    }),
    focus: text,
    gate: nullable(Gate),
    verify_cmd: verifyCommand,
    team: Team,
    limits: Limits,
    settings_revision: Type.Integer({ minimum: 1 }),
    base: closed({ branch: textOrNull, sha: textOrNull }),
    branch: textOrNull,
    head_sha: textOrNull,
    lease_expires_at: timeOrNull,
    isolation: closed({ level: Type.Enum([...ISOLATION_LEVELS]), network: Type.Enum([...NETWORKS]) }),
    result: nullable(closed({ code: Type.Enum([...RESULT_CODES]), message: text, retryable: Type.Boolean() })),
    cancel_requested_at: timeOrNull,
    warnings: Type.Array(text),
    times: closed({
      queued_at: time,
      leased_at: timeOrNull,
      started_at: timeOrNull,
      pushed_at: timeOrNull,
      ended_at: timeOrNull,
    }),
    revision: Type.Integer({ minimum: 1 }),
  },
  { title: "Run" },
);
export type Run = Static<typeof Run>;
export type RunGate = Static<typeof Gate>;
