/** What would have been right. */
import type { Endpoint } from "@triptych/contracts";
import { Problem, validationFailed, type Exchange, type Faults } from "@triptych/server";
import { isUnusable, type Expert, type Experts } from "../domain/experts.ts";
import type { Feedback, Heard } from "../domain/heads/feedback.ts";
import type { Recalibration } from "../domain/heads/trainer.ts";
import type { Caller } from "./caller.ts";
import { expertNotFound, notUsable } from "./expert-problems.ts";
import { queueFull } from "./heads.ts";
import { onceOf } from "./idempotency.ts";
import { readFeedback, type FeedbackOrder } from "./parsers/read-feedback.ts";

type Asking = Exchange<Endpoint & { readonly auth: string }, Caller>;

export interface FeedbackShown {
  readonly feedback: Feedback;
  readonly experts: Experts;
  readonly now: () => number;
}

export function feedbackHandler({ feedback, experts, now }: FeedbackShown) {
  return {
    async careful({ caller, request, reply, idempotencyKey }: Asking, faults: Faults) {
      const order = readFeedback(request.body, faults);
      faults.refuse();
      const expert = await expertOf(experts, caller, order);
      refuseUnknownRoutes(expert, order);
      if (order.recalibrate && expert.kind === "shipped") throw new Problem("head_read_only");
      const once = onceOf(idempotencyKey, request.body, now());
      const how = { once, recalibrates: order.recalibrate };
      const { figures, recalibration, isReplayed } = heardOf(
        await feedback.hear(caller.owner, expert, order.items, how),
      );
      if (isReplayed) reply.header("Idempotency-Replayed", "true");
      reply.code(202);
      return {
        accepted: order.items.length,
        head_id: expert.headId,
        feedback: figures,
        ...(recalibration !== null && { recalibration: recalibrationBody(recalibration) }),
      };
    },
  };
}

function heardOf(heard: Heard) {
  switch (heard.kind) {
    case "heard":
      return heard;
    case "queue_full":
      throw queueFull();
    case "other_payload":
      throw new Problem("idempotency_key_reused");
    case "running":
      throw new Problem("idempotency_in_progress", { headers: { "Retry-After": "1" } });
  }
}

async function expertOf(experts: Experts, { owner }: Caller, { expert: name }: FeedbackOrder): Promise<Expert> {
  const found = await experts.find(owner, name);
  if (isUnusable(found)) throw notUsable(found);
  if (found !== null) return found;
  const known = await experts.list(owner);
  throw expertNotFound(
    name,
    known.map((one) => one.name),
  );
}

/** They are pointed at, not named: labels are the owner's. */
function refuseUnknownRoutes({ head }: Expert, { items, pathOf }: FeedbackOrder): void {
  const routes = new Set(head.routes.map(({ route }) => route));
  const message = "The expert has no route of this name.";
  const faults = items.flatMap(({ route, decided }, item) => [
    ...(route !== null && !routes.has(route)
      ? [{ path: `${pathOf(item)}/route`, reason: "option_unknown", message }]
      : []),
    ...(decided !== null && !routes.has(decided)
      ? [{ path: `${pathOf(item)}/decided`, reason: "option_unknown", message }]
      : []),
  ]);
  if (faults.length > 0) throw validationFailed(faults);
}

function recalibrationBody({ isKept, revision, rows, nll, ece }: Recalibration) {
  return { kept: isKept, revision, rows, nll, ece };
}
