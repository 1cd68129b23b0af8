/** Reads feedback: one item, or a list of them about one expert. */
import { FEEDBACK_ITEMS_MAX } from "@triptych/contracts";
import type { Faults } from "@triptych/server";
import type { FeedbackItem } from "../../domain/heads/feedback.ts";
import {
  at,
  fault,
  readList,
  readNumber,
  readObject,
  readText,
  refuseUnknown,
  type Json,
  type Place,
  wholeBody,
  pathOf,
} from "./json-pointer.ts";
import { readSituation } from "./read-decision.ts";
import { readBoolean } from "./read-head.ts";

export interface FeedbackOrder {
  readonly expert: string;
  readonly items: readonly FeedbackItem[];
  readonly recalibrate: boolean;
  /** Where the items stand in the body. */
  readonly pathOf: (item: number) => string;
}

const ITEM = ["expert", "state", "messages", "route", "decided", "confidence", "request_id"] as const;
const NAME = { min: 1, max: 64 };

/** What it returns counts only when `faults` has none. */
export function readFeedback(body: unknown, faults: Faults): FeedbackOrder {
  const place = wholeBody(faults);
  const object = readObject(body, place);
  if (object === null) return { expert: "", items: [], recalibrate: false, pathOf: () => "" };
  const recalibrate = readBoolean(object["recalibrate"], at(place, "recalibrate"));
  if (object["items"] === undefined) {
    refuseUnknown(object, [...ITEM, "items", "recalibrate"], place);
    const expert = readExpert(object, place) ?? "";
    if (object["expert"] === undefined) fault(at(place, "expert"), "missing", "`expert` is missing.");
    return { expert, items: [readItem(object, place)], recalibrate, pathOf: () => "" };
  }
  refuseUnknown(object, ["expert", "items", "recalibrate"], place);
  const here = at(place, "items");
  const list = readList(object["items"], { min: 1, max: FEEDBACK_ITEMS_MAX, things: "items" }, here);
  let expert = readExpert(object, place);
  const items = list.flatMap((one, index) => {
    const item = readObject(one, at(here, index));
    if (item === null) return [];
    refuseUnknown(item, ITEM, at(here, index));
    const named = readExpert(item, at(here, index));
    if (named !== null && expert !== null && named !== expert)
      fault(at(at(here, index), "expert"), "not_together", "One call is about one expert.");
    expert ??= named;
    return [readItem(item, at(here, index))];
  });
  if (expert === null && list.length > 0) fault(at(place, "expert"), "missing", "`expert` is missing.");
  return { expert: expert ?? "", items, recalibrate, pathOf: (item) => pathOf(at(here, item)) };
}

function readExpert({ expert }: Json, place: Place): string | null {
  return expert === undefined ? null : readText(expert, NAME, at(place, "expert"));
}

function readItem(object: Json, place: Place): FeedbackItem {
  const { route, decided, confidence, request_id: requestId } = object;
  if (route === undefined) fault(at(place, "route"), "missing", "`route` is missing; null says that none fits.");
  return {
    ...readSituation(object, place),
    route: route === undefined || route === null ? null : readText(route, NAME, at(place, "route")),
    decided: decided === undefined ? null : readText(decided, NAME, at(place, "decided")),
    confidence: readNumber(confidence, { min: 0, max: 1 }, at(place, "confidence")),
    requestId: requestId === undefined ? null : readText(requestId, NAME, at(place, "request_id")),
  };
}
