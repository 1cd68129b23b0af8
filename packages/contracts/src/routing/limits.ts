/** Names, limits and closed lists of routing decisions, shared by the contracts, `/pricing` and the documentation. */

export const MODEL = "triptych-1";
/** `triptych-1/<expert>` selects an expert wherever a model can be set. */
export const MODEL_PREFIX = `${MODEL}/`;
/** Date of the first release, for `/v1/models`. */
export const MODEL_RELEASED = "2026-11-22";
export const MODEL_MAX = 128;
/** The expert used when a request names none; the other two decisions derive from its result. */
export const DEFAULT_EXPERT = "tools";

export const DECISION_BODY_BYTES = 256 * 1024;
export const HEAD_BODY_BYTES = 8 * 1024 * 1024;
export const JSON_DEPTH_MAX = 32;
export const STATE_MAX = 32_768;
export const MESSAGES_MAX = 200;
export const MESSAGES_CHARACTERS_MAX = 65_536;
export const OPTIONS_MAX = 255;
export const ROUTE_LABEL_MAX = 64;
export const OPTION_PARAMETERS_MAX = 32;
/** Maximum nesting of objects in a parameter schema, and maximum values of an `enum`. */
export const PARAMETER_DEPTH_MAX = 3;
export const PARAMETER_VALUES_MAX = 255;
export const PARAMETER_NAME_MAX = 128;
export const OPTION_EXAMPLES_MAX = 8;
export const OPTION_TEXT_MAX = 4000;
export const QUESTIONS_MAX = 400;
export const QUESTION_NAME_MAX = 256;
export const LEVELS_MIN = 2;
export const LEVELS_MAX = 10;
export const EXPLAIN_DEFAULT = 8;
export const EXPLAIN_MAX = 32;
export const MAX_ERROR_MIN = 0.001;
export const MAX_ERROR_MAX = 0.5;
/** Maximum price per million tokens, and maximum cost of an error: one million euros. */
export const ECONOMY_PRICE_MICRO_MAX = 1_000_000_000_000;
export const ECONOMY_TOKENS_MAX = 1_000_000_000;
export const TOKENS_FIRST = 192;
export const TOKENS_LAST = 64;

/** Minimum `confidence`, unless the request or the head sets another. */
export const CONFIDENCE_FLOOR = 0.55;
/** Minimum `gate_confidence` of the expert chosen among several. */
export const GATE_FLOOR = 0.55;

/** Rate limit of the hosted gateway. The router has none unless ROUTER_RATE is set. */
export const DECISIONS_PER_MINUTE = 6000;
export const DECISIONS_IN_FLIGHT = 64;
export const CUSTOM_HEAD_SKU = "custom-head";

export const SHIPPED_EXPERTS = ["tools", "helpdesk", "banking", "assistant"] as const;
export const HEAD_ROUTES_MIN = 2;
export const HEAD_PHRASINGS_MAX = 500;
export const HEAD_EXAMPLES_MAX = 50_000;
export const HEAD_DESCRIPTION_MAX = 1000;
export const HEAD_SLOT_VALUES_MAX = 200;
export const HEAD_SLOTS_MAX = 255;
export const TEXTS_PER_PHRASING_MAX = 200;
/** Maximum phrasings, examples and expanded texts per training. */
export const HEAD_TEXTS_MAX = 50_000;
/** Maximum characters of all expanded phrasings, and slots per phrasing: a short request could expand without bound. */
export const HEAD_CHARACTERS_MAX = 8 * 1024 * 1024;
export const SLOTS_PER_PHRASING_MAX = 16;
export const TEXTS_PER_ROUTE_MIN = 2;
/** Share of out-of-scope requests that the calibration of a head expects. */
export const OUT_OF_SCOPE_SHARE_DEFAULT = 0.2;
export const OUT_OF_SCOPE_SHARE_MAX = 0.9;
export const HEAD_NAMES_MAX = 100;
export const HEAD_VERSIONS_MAX = 5;
export const ALPHA_MIN = 0.01;
export const ALPHA_MAX = 0.3;
export const ALPHA_DEFAULT = 0.05;
export const TRAININGS_AT_ONCE = 2;
export const TRAININGS_QUEUED_MAX = 16;
/** Seconds to wait for training without `Prefer: wait=N`. */
export const WAIT_DEFAULT = 20;
export const WAIT_MAX = 60;
export const PROMOTION_DECISIONS_MIN = 200;
export const PROMOTION_AGREEMENT_MIN = 0.9;
export const PROMOTION_ACCURACY_MIN = 0.85;
export const FEEDBACK_ITEMS_MAX = 1000;
export const FEEDBACK_DAYS = 90;
/** Feedback rows stored per head; the oldest are deleted first. */
export const FEEDBACK_ROWS_MAX = 10_000;
export const RECALIBRATION_ROWS_MIN = 100;

export const HEAD_STATES = ["training", "live", "ready", "shadow", "retired", "rejected", "failed"] as const;
export const REJECTIONS = ["ece", "no_signal"] as const;
export const GATES = ["floor", "conformal"] as const;

export const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
export const TEXT_PARTS = ["text", "input_text", "output_text"] as const;
export const JSON_PARTS = ["json", "input_json"] as const;
/** Members that may contain the value of a JSON part: clients differ. */
export const JSON_PART_MEMBERS = ["value", "json", "data"] as const;

export const ACTIONS = ["tool_call", "generate", "delegate"] as const;
export const REASONS = [
  "ok",
  "route_escalate",
  "noul_escalate",
  "out_of_scope",
  "low_gate_confidence",
  "low_confidence",
  "risk_limit",
  "conformal_abstain",
] as const;
export const ROUTE_KINDS = ["tool", "chat", "escalate"] as const;
export const BASES = ["head", "zero_shot"] as const;
export const ENGINE_PARTS = ["dense", "plus", "onnx", "options"] as const;
export const HAND_OFF_RULES = ["asks_for_human", "legal", "medical", "payment_dispute"] as const;
export const EVIDENCE_KINDS = ["word", "bigram", "chars", "lexical", "signal", "rule"] as const;
export const DOMAINS = [
  "banking",
  "credit_cards",
  "kitchen_and_dining",
  "home",
  "auto_and_commute",
  "travel",
  "utility",
  "work",
  "small_talk",
  "meta",
] as const;
export const CONFIDENCE_FORMULAS = ["chance", "entropy", "p_correct"] as const;
/** Fields of third-party clients without effect here; they cause no warning. */
export const UNSUPPORTED_FIELDS = [
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "keep_alive",
  "options",
] as const;

export type Action = (typeof ACTIONS)[number];
export type Reason = (typeof REASONS)[number];
export type RouteKind = (typeof ROUTE_KINDS)[number];
export type Basis = (typeof BASES)[number];
export type EnginePart = (typeof ENGINE_PARTS)[number];
export type HeadState = (typeof HEAD_STATES)[number];
export type Rejection = (typeof REJECTIONS)[number];
export type Gate = (typeof GATES)[number];
export type Role = (typeof ROLES)[number];
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];
export type ConfidenceFormula = (typeof CONFIDENCE_FORMULAS)[number];
