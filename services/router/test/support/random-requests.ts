/** Random requests: every field valid, invalid, missing, oversized or unknown, in any combination, to every endpoint. */
import type { Random } from "./seeded.ts";

export interface RandomRequest {
  readonly path: string;
  readonly method: "GET" | "POST" | "PUT" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or text that resembles it. */
  readonly body: string | undefined;
}

const PATHS = ["/v1/route", "/v1/decide", "/v1/noul", "/v1/score", "/v1/assess"];
const COMPAT = ["/v1/systemone", "/v1/decisions"];
const OTHER = [
  "/v1/models",
  "/v1/experts",
  "/health",
  "/pricing",
  "/v1/rout",
  "/v1/route/",
  "/problems/option_unknown",
];

const TEXTS = [
  "will it rain",
  "refund",
  "",
  " ",
  "🙂",
  "\u202e",
  "x".repeat(5000),
  "__proto__",
  "<script>",
  "東京",
  "\n\n",
];
const NASTY: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  0.5,
  "",
  [],
  {},
  [[]],
  { a: {} },
  "text",
  1e-9,
  ["x"],
];
const LABELS = [
  "weather",
  "refund",
  "chat",
  "a",
  "é",
  "🙂",
  "__proto__",
  "constructor",
  " x",
  "",
  "y".repeat(65),
  "0",
  "a/b~c",
];

export function randomRequest(random: Random): RandomRequest {
  const path = random.pick(random.chance(0.55) ? PATHS : random.chance(0.75) ? COMPAT : OTHER);
  const method = OTHER.includes(path) ? random.pick(["GET", "GET", "HEAD"] as const) : "POST";
  if (method !== "POST") return { path, method, headers: {}, body: undefined };
  const headers: Record<string, string> = {};
  if (random.chance(0.03))
    headers["content-type"] = random.pick(["text/plain", "application/json; charset=x", "multipart/form-data"]);
  if (random.chance(0.05)) headers["x-request-id"] = random.pick(["ok-1", "not ok", "a".repeat(90)]);
  const value = COMPAT.includes(path) ? randomCompat(random, path) : randomNative(random);
  const text = JSON.stringify(value);
  const query = random.chance(0.02) ? "?explain=true" : "";
  const broken = random.chance(0.02) ? text.slice(0, random.below(text.length)) : text;
  return { path: path + query, method: random.chance(0.01) ? "PUT" : "POST", headers, body: broken };
}

function randomNative(random: Random): unknown {
  if (random.chance(0.01)) return random.pick(NASTY);
  const body: Record<string, unknown> = {};
  if (random.chance(0.85)) body["state"] = random.chance(0.9) ? random.pick(TEXTS) : random.pick(NASTY);
  if (random.chance(0.2)) body["messages"] = randomMessages(random);
  if (random.chance(0.4)) body["options"] = randomOptions(random);
  maybe(random, body, "expert", ["tools", "helpdesk", "tolls", "hed_1", ""]);
  maybe(random, body, "model", ["gpt-9", "triptych-1/tools", "triptych-1/x", "m".repeat(129)]);
  maybe(random, body, "min_conf", [0, 0.5, 1, 1.01]);
  maybe(random, body, "max_error", [0.001, 0.1, 0.5, 0.6]);
  maybe(random, body, "explain", [true, false, 1, 32, 33]);
  if (random.chance(0.15)) body["economy"] = random.chance(0.9) ? randomEconomy(random) : random.pick(NASTY);
  if (random.chance(0.05)) body[random.pick(["stat", "optoins", "__proto__x", "temperature"])] = random.pick(NASTY);
  return body;
}

function randomEconomy(random: Random): unknown {
  const amount = () => (random.chance(0.9) ? random.below(1000) : random.pick(NASTY));
  return {
    ...(random.chance(0.5) && { incumbent: random.pick<unknown>([...LABELS, 5]) }),
    ...(random.chance(0.9) && { new_tokens: amount() }),
    output_tokens: amount(),
    prices: randomMap(random, () => ({ input: amount(), output: amount() })),
  };
}

function maybe(random: Random, body: Record<string, unknown>, name: string, values: readonly unknown[]): void {
  if (random.chance(0.15)) body[name] = random.chance(0.9) ? random.pick(values) : random.pick(NASTY);
}

function randomMessages(random: Random): unknown {
  if (random.chance(0.05)) return random.pick(NASTY);
  return some(random, 4, () =>
    random.chance(0.05)
      ? random.pick(NASTY)
      : {
          role: random.pick(["user", "user", "assistant", "tool", "system", "usr"]),
          content: randomContent(random),
          ...(random.chance(0.2) && { name: "x", tool_calls: [] }),
        },
  );
}

function randomContent(random: Random): unknown {
  if (random.chance(0.6)) return random.pick(TEXTS);
  if (random.chance(0.1)) return random.pick(NASTY);
  return some(random, 3, () =>
    random.pick<unknown>([
      { type: "text", text: random.pick(TEXTS) },
      { type: "input_json", [random.pick(["value", "json", "data", "x"])]: random.pick(NASTY) },
      { type: random.pick(["image_url", "audio", "refusal", "output_text"]), text: "x" },
      random.pick(NASTY),
    ]),
  );
}

function randomOptions(random: Random): unknown {
  if (random.chance(0.1)) return random.pick(NASTY);
  if (random.chance(0.5))
    return some(random, 5, () => (random.chance(0.95) ? random.pick(LABELS) : random.pick(NASTY)));
  return randomMap(random, () =>
    random.pick<unknown>([
      null,
      random.pick(TEXTS),
      { description: random.pick(TEXTS), examples: ["rain"] },
      random.pick(NASTY),
    ]),
  );
}

function randomMap(random: Random, value: () => unknown): unknown {
  return Object.fromEntries(some(random, 6, () => [random.pick(LABELS), value()] as const));
}

function randomCompat(random: Random, path: string): unknown {
  if (random.chance(0.01)) return random.pick(NASTY);
  const isSystemOne = path === "/v1/systemone";
  const text = random.chance(0.8)
    ? random.pick(TEXTS)
    : random.chance(0.5)
      ? randomMessages(random)
      : random.pick(NASTY);
  const questions = random.chance(0.05)
    ? random.pick(NASTY)
    : isSystemOne
      ? randomMap(random, () => randomQuestion(random))
      : some(random, 4, () => randomListed(random));
  const body: Record<string, unknown> = { [isSystemOne ? "state" : "input"]: text, questions };
  maybe(random, body, "expert", ["tools", "helpdesk", "tolls"]);
  maybe(random, body, "min_conf", [0, 1, 2]);
  maybe(random, body, "max_error", [0.001, 0.5, 0.6]);
  maybe(random, body, "explain", [true, 3, 99]);
  maybe(random, body, "confidence_formula", ["chance", "entropy", "p_correct", "best"]);
  maybe(random, body, "temperature", [1]);
  return body;
}

function randomQuestion(random: Random): unknown {
  if (random.chance(0.05)) return random.pick(NASTY);
  const described = () => random.pick<unknown>([null, random.pick(TEXTS), ...NASTY]);
  const type = random.pick(["noul", "choice", "score", "choice", "score", "maybe"]);
  const criteria = random.chance(0.1)
    ? random.pick(NASTY)
    : type === "score"
      ? some(random, 11, described)
      : type === "noul"
        ? { [random.pick(["true", "false", "maybe"])]: described() }
        : randomMap(random, described);
  return { type, ...(random.chance(0.5) && { instructions: described() }), ...(random.chance(0.9) && { criteria }) };
}

function randomListed(random: Random): unknown {
  if (random.chance(0.05)) return random.pick(NASTY);
  const type = random.pick(["predicate", "choice", "score", "maybe"]);
  const description = random.pick<unknown>(["rain", null, ...NASTY]);
  const value = () => random.pick<unknown>([...LABELS, true, false]);
  return {
    type,
    ...(random.chance(0.7) && { name: random.pick<unknown>(["q", null, 5]) }),
    ...(random.chance(0.8) && {
      instructions: random.pick<unknown>([...TEXTS, ...NASTY, [{ type: "input_text", text: "x" }]]),
    }),
    ...(type === "choice" && { choices: some(random, 4, () => ({ value: value(), description })) }),
    ...(type === "score" && {
      levels: some(random, 4, () => ({ label: random.pick(LABELS), ...(random.chance(0.5) && { description }) })),
    }),
    ...(random.chance(0.03) && { extra: 1 }),
  };
}

function some<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: random.below(most + 1) }, make);
}
