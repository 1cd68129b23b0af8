import type { Static } from "typebox";
import type { PricingLimits } from "./information-endpoints.ts";
import {
  DECISION_BODY_BYTES,
  HEAD_BODY_BYTES,
  JSON_DEPTH_MAX,
  LEVELS_MAX,
  LEVELS_MIN,
  MESSAGES_CHARACTERS_MAX,
  MESSAGES_MAX,
  OPTIONS_MAX,
  QUESTIONS_MAX,
  ROUTE_LABEL_MAX,
  STATE_MAX,
  TOKENS_FIRST,
  TOKENS_LAST,
} from "./limits.ts";

type Limits = Static<typeof PricingLimits>;

/** `rate`: null if there is no rate limit. */
export function routingLimits(rate: Limits["rate"]): Limits {
  return {
    body_bytes: DECISION_BODY_BYTES,
    head_body_bytes: HEAD_BODY_BYTES,
    json_depth: JSON_DEPTH_MAX,
    state_characters: STATE_MAX,
    messages: MESSAGES_MAX,
    messages_characters: MESSAGES_CHARACTERS_MAX,
    options: OPTIONS_MAX,
    label_characters: ROUTE_LABEL_MAX,
    questions: QUESTIONS_MAX,
    levels_min: LEVELS_MIN,
    levels_max: LEVELS_MAX,
    tokens_read_first: TOKENS_FIRST,
    tokens_read_last: TOKENS_LAST,
    states_per_call: 1,
    rate,
  };
}
