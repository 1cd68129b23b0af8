/** Parses feedback: one item, or a list for one expert. */
import { FEEDBACK_ITEMS_MAX } from "@triptych/contracts";
import type { ValidationErrors } from "@triptych/server";
import type { FeedbackItem } from "../../domain/heads/feedback.ts";
import {
  at,
  issue,
  readList,
  readNumber,
  readObject,
  readText,
  refuseUnknown,
  type Json,
  type JsonPointer,
  wholeBody,
  pathOf,
} from "./json-pointer.ts";
import { readSituation } from "./read-decision.ts";
import { readBoolean } from "./read-head.ts";

export interface FeedbackRequest {
  readonly expert: string;
  readonly items: readonly FeedbackItem[];
  readonly recalibrate: boolean;
  readonly pathOf: (item: number) => string;
}

const ITEM = ["expert", "state", "messages", "route", "decided", "confidence", "request_id"] as const;
const NAME = { min: 1, max: 64 };

export function readFeedback(body: unknown, errors: ValidationErrors): FeedbackRequest {
  const pointer = wholeBody(errors);
  const object = readObject(body, pointer);
  if (object === null) return { expert: "", items: [], recalibrate: false, pathOf: () => "" };
  const recalibrate = readBoolean(object["recalibrate"], at(pointer, "recalibrate"));
  if (object["items"] === undefined) {
    refuseUnknown(object, [...ITEM, "items", "recalibrate"], pointer);
    const expert = readExpert(object, pointer) ?? "";
    if (object["expert"] === undefined) issue(at(pointer, "expert"), "missing", "`expert` is missing.");
    return { expert, items: [readItem(object, pointer)], recalibrate, pathOf: () => "" };
  }
  refuseUnknown(object, ["expert", "items", "recalibrate"], pointer);
  const here = at(pointer, "items");
  const list = readList(object["items"], { min: 1, max: FEEDBACK_ITEMS_MAX, things: "items" }, here);
  let expert = readExpert(object, pointer);
  const items = list.flatMap((rawItem, index) => {
    const item = readObject(rawItem, at(here, index));
    if (item === null) return [];
    refuseUnknown(item, ITEM, at(here, index));
    const named = readExpert(item, at(here, index));
    if (named !== null && expert !== null && named !== expert)
      issue(at(at(here, index), "expert"), "not_together", "All feedback of a request must name the same expert.");
    expert ??= named;
    return [readItem(item, at(here, index))];
  });
  if (expert === null && list.length > 0) issue(at(pointer, "expert"), "missing", "`expert` is missing.");
  return { expert: expert ?? "", items, recalibrate, pathOf: (item) => pathOf(at(here, item)) };
}

function readExpert({ expert }: Json, pointer: JsonPointer): string | null {
  return expert === undefined ? null : readText(expert, NAME, at(pointer, "expert"));
}

function readItem(object: Json, pointer: JsonPointer): FeedbackItem {
  const { route, decided, confidence, request_id: requestId } = object;
  if (route === undefined) issue(at(pointer, "route"), "missing", "`route` is missing; use null if no route fits.");
  return {
    ...readSituation(object, pointer),
    route: route === undefined || route === null ? null : readText(route, NAME, at(pointer, "route")),
    decided: decided === undefined ? null : readText(decided, NAME, at(pointer, "decided")),
    confidence: readNumber(confidence, { min: 0, max: 1 }, at(pointer, "confidence")),
    requestId: requestId === undefined ? null : readText(requestId, NAME, at(pointer, "request_id")),
  };
}
