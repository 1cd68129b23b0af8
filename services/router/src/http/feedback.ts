import type { sendFeedback } from "@triptych/contracts";
import { Problem, validationFailed, type RequestContext, type ValidationErrors } from "@triptych/server";
import { isUnusable, type Expert, type Experts } from "../domain/experts.ts";
import type { Feedback, FeedbackResult } from "../domain/heads/feedback.ts";
import type { Recalibration } from "../domain/heads/trainer.ts";
import type { Caller } from "./identify.ts";
import { expertNotFound, notUsable, idempotencyKeyOf } from "./expert-problems.ts";
import { queueFull } from "./heads.ts";
import { readFeedback, type FeedbackRequest } from "./parsers/read-feedback.ts";

type Asking = RequestContext<typeof sendFeedback, Caller>;

export interface FeedbackDeps {
  readonly feedback: Feedback;
  readonly experts: Experts;
  readonly now: () => number;
}

export function feedbackHandler({ feedback, experts, now }: FeedbackDeps) {
  return {
    async handle({ caller, body, reply, idempotencyKey }: Asking, errors: ValidationErrors) {
      if (errors.has("")) errors.refuse();
      const input = readFeedback(body, errors);
      errors.refuse();
      const expert = await expertOf(experts, caller, input);
      refuseUnknownRoutes(expert, input);
      if (input.recalibrate && expert.kind === "shipped") throw new Problem("head_read_only");
      const once = idempotencyKeyOf(idempotencyKey, body, now());
      const how = { once, recalibrates: input.recalibrate };
      const { figures, recalibration, isReplayed } = recordedOf(
        await feedback.record(caller.owner, expert, input.items, how),
      );
      if (isReplayed) reply.header("Idempotency-Replayed", "true");
      reply.code(202);
      return {
        accepted: input.items.length,
        head_id: expert.headId,
        feedback: figures,
        ...(recalibration !== null && { recalibration: recalibrationBody(recalibration) }),
      };
    },
  };
}

function recordedOf(result: FeedbackResult) {
  switch (result.kind) {
    case "recorded":
      return result;
    case "queue_full":
      throw queueFull();
    case "other_payload":
      throw new Problem("idempotency_key_reused");
    case "running":
      throw new Problem("idempotency_in_progress", { headers: { "Retry-After": "1" } });
  }
}

async function expertOf(experts: Experts, { owner }: Caller, { expert: name }: FeedbackRequest): Promise<Expert> {
  const found = await experts.find(owner, name);
  if (isUnusable(found)) throw notUsable(found);
  if (found !== null) return found;
  const existing = await experts.list(owner);
  throw expertNotFound(
    name,
    existing.map((expert) => expert.name),
  );
}

/** Issues contain the path but not the label, because labels are the owner's data. */
function refuseUnknownRoutes({ head }: Expert, { items, pathOf }: FeedbackRequest): void {
  const routes = new Set(head.routes.map(({ route }) => route));
  const message = "The expert has no route with this name.";
  const issues = items.flatMap(({ route, decided }, item) => [
    ...(route !== null && !routes.has(route)
      ? [{ path: `${pathOf(item)}/route`, reason: "option_unknown", message }]
      : []),
    ...(decided !== null && !routes.has(decided)
      ? [{ path: `${pathOf(item)}/decided`, reason: "option_unknown", message }]
      : []),
  ]);
  if (issues.length > 0) throw validationFailed(issues);
}

function recalibrationBody({ isApplied, revision, rows, nll, ece }: Recalibration) {
  return { kept: isApplied, revision, rows, nll, ece };
}
