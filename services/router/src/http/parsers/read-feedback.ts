/** Reads feedback: one item, or a list for one expert. */
import type { BodyOf, sendFeedback } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { FeedbackItem } from "../../domain/heads/feedback.ts";
import { readSituation } from "./read-situation.ts";
import { objectsIn } from "./rules.ts";

export interface FeedbackRequest {
  readonly expert: string;
  readonly items: readonly FeedbackItem[];
  readonly recalibrate: boolean;
  readonly pathOf: (item: number) => string;
}

type FeedbackBody = BodyOf<typeof sendFeedback>;
type ItemSent = Extract<FeedbackBody, { readonly items: unknown }>["items"][number];

export function readFeedback(body: FeedbackBody, errors: ValidationErrors): FeedbackRequest {
  const recalibrate = body.recalibrate ?? false;
  if (!("items" in body))
    return { expert: body.expert, items: [readItem(body, "", errors)], recalibrate, pathOf: () => "" };
  const sent = objectsIn(body.items, "/items", errors);
  let { expert } = body;
  for (const { entry, path } of sent) {
    if (entry.expert !== undefined && expert !== undefined && entry.expert !== expert)
      errors.add({
        path: `${path}/expert`,
        reason: "not_together",
        message: "All feedback of a request must name the same expert.",
      });
    expert ??= entry.expert;
  }
  if (expert === undefined && sent.length > 0)
    errors.add({ path: "/expert", reason: "required", message: "`expert` is missing." });
  const items = sent.map(({ entry, path }) => readItem(entry, path, errors));
  return { expert: expert ?? "", items, recalibrate, pathOf: (item) => `/items/${item}` };
}

function readItem(item: ItemSent, path: string, errors: ValidationErrors): FeedbackItem {
  const { route, decided = null, confidence = null, request_id: requestId = null } = item;
  return { ...readSituation(item, path, errors), route, decided, confidence, requestId };
}
