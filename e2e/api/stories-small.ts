/** Calls the operations of the directory, the router and the gateway in a useful order. */
import type { Call } from "./calls.ts";

export async function directoryStory(call: Call): Promise<void> {
  await call("getDiscovery");
  await call("getMeta");
  await call("getItems", { query: "?q=rennes&limit=1&facets=region" });
  const places = "?type=place&departement=ille-et-vilaine&limit=1";
  await call("getItems", { query: `${places}&format=geojson`, suffixed: "application/geo+json" });
  for (const format of ["csv", "ndjson"]) await call("getItems", { query: `${places}&format=${format}` });
  const params = { type: "place", slug: "rennes" };
  await call("getItem", { params });
  await call("getItem", { params, query: "?format=geojson", suffixed: "application/geo+json" });
  await call("getItem", { params, query: "?format=ld%2Bjson", suffixed: "application/ld+json" });
  await call("suggest", { query: "?q=renn&limit=2" });
  await call("getUsage");
}

const STATE = "What is the weather in Paris tomorrow?";
const OPTIONS = { refund: "the customer wants money back", invoice: "the customer needs an invoice" };
const PRICES = {
  refund: { input: 2_500_000, output: 10_000_000 },
  invoice: { input: 250_000, cached_input: 25_000, output: 1_000_000 },
};

/** Router and gateway have the same operations. */
export async function decisionStory(call: Call): Promise<void> {
  await call("route", { body: { state: STATE } });
  const economy = { incumbent: "invoice", cached_tokens: 4000, new_tokens: 200, output_tokens: 100, prices: PRICES };
  await call("decide", {
    body: { state: "Please send my money back.", options: OPTIONS, economy: { ...economy, error_cost_micro: 50_000 } },
  });
  await call("noul", { body: { state: "I want to talk to a person, not to a machine." } });
  await call("score", { body: { state: "Compare three hotels, book the cheapest, and tell my team." } });
  await call("assess", { body: { messages: [{ role: "user", content: STATE }] } });
  await call("systemone", {
    body: {
      state: "I was charged twice. Please help.",
      questions: { billing: { type: "noul", instructions: "Is this about billing?" } },
    },
  });
  await call("decisions", {
    body: {
      input: "Cancel my flight",
      questions: [
        {
          type: "choice",
          name: "desk",
          instructions: "Who handles this?",
          choices: [{ value: "flights" }, { value: "hotels" }],
        },
      ],
    },
  });
  for (const operation of ["listModels", "listExperts", "getHealth", "getPricing"]) await call(operation);
}

const HEAD = {
  name: "support_desk",
  routes: [
    { route: "reset_password", phrasings: phrasings(["I forgot my password", "I cannot sign in", "reset my login"]) },
    { route: "order_status", phrasings: phrasings(["where is my parcel", "track my order", "has my order shipped"]) },
    { route: "refund", phrasings: phrasings(["I want my money back", "refund this purchase", "return the shoes"]) },
  ],
  slots: { please: ["please", "hello", "hi, today", "urgent:"] },
};

function phrasings(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => [text, `{please} ${text}`, `${text}, thanks`]);
}

export async function headStory(call: Call): Promise<void> {
  const headers = { Prefer: "wait=60" };
  const first = (await call("createHead", { body: HEAD, headers })).json;
  await call("listHeads");
  await call("getHead", { params: { id: first.id } });
  await call("getHeadCard", { params: { id: first.id } });
  await call("getHeadArtifact", { params: { id: first.id } });
  const second = (await call("createHead", { body: { ...HEAD, seed: 2 }, headers })).json;
  const params = { id: String(second.id) };
  await call("shadowHead", { params, body: { enabled: true } });
  await call("sendFeedback", { body: { expert: first.id, state: "I cannot log in", route: "reset_password" } });
  await call("promoteHead", { params, body: { force: true } });
  await call("deleteHead", { params });
}
