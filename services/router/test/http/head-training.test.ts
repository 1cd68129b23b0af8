/** Training requests and their results, each under its own name on one router. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TOPICS } from "../../../../packages/decisions/test/support/small-trunk.ts";
import { contraryExamples } from "../support/contrary-examples.ts";
import { trainingRequest, wideTrainingRequest } from "../support/training-requests.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { publishedSchemas } from "../support/published-schemas.ts";
import { seeded } from "../support/seeded.ts";

let fixture: Fixture;
before(async () => {
  fixture = await createFixture();
});
after(() => fixture[Symbol.asyncDispose]());

async function trained(request: object) {
  const made = await fixture.ask("/v1/heads", { body: request, headers: { prefer: "wait=60" } });
  assert.equal(made.statusCode, 201, made.body);
  return made.json();
}

async function decided(expert: string, input: object) {
  const answer = await fixture.ask("/v1/decide", { body: { expert, ...input } });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json();
}

describe("training a head", () => {
  test("accepts phrasings with slots, examples, or both; a conversation is an example too", async () => {
    const [weather, refund, ...others] = trainingRequest().routes;
    const examples = [
      ...(TOPICS["refund"] ?? []).map((text) => ({ text, route: "refund", lang: "en" })),
      { messages: [{ role: "user", content: "will the sun shine" }], route: "weather" },
      { text: "the moon is made of cheese", route: null },
    ];
    const routes = [weather, { route: refund.route }, ...others];
    const head = await trained(trainingRequest({ name: "both", routes, examples }));
    assert.equal(head.state, "live");
    const texts = Object.fromEntries(
      head.routes.map((route: { route: string; texts: number }) => [route.route, route.texts]),
    );
    assert.deepEqual(texts, { chat: 16, password: 16, refund: 8, weather: 17 });
    assert.equal(head.report.n, 58);
    assert.equal((await decided("both", { state: "refund my order" })).choice, "refund");
    assert.equal((await decided("both", { state: "please will it rain" })).choice, "weather");
  });

  test("takes the routes from the examples if none are listed, and gives the same bytes as with listed routes", async () => {
    const examples = Object.entries(TOPICS).flatMap(([route, texts]) => texts.map((text) => ({ text, route })));
    const head = await trained({ name: "unlisted", examples: [...examples, { text: "the moon", route: null }] });
    assert.equal(head.state, "live");
    assert.deepEqual(
      head.routes.map(({ route, kind, description }: Readonly<Record<string, string>>) => [route, kind, description]),
      [
        ["chat", "chat", ""],
        ["password", "tool", ""],
        ["refund", "tool", ""],
        ["weather", "tool", ""],
      ],
    );
    const routes = Object.keys(TOPICS).map((route) => ({ route }));
    const listed = await trained({
      name: "unlisted",
      routes,
      examples: [{ text: "the moon", route: null }, ...examples.toReversed()],
    });
    assert.equal(listed.sha256, head.sha256);
  });

  test("accepts the expected share of out-of-scope requests", async () => {
    const head = await trained(trainingRequest({ name: "open_world", out_of_scope_share: 0.4 }));
    assert.equal(head.state, "live");
  });

  test("works in French", async () => {
    const french = {
      livraison: [
        "où est {colis}",
        "quand arrive {colis}",
        "suivre {colis}",
        "{colis} a du retard",
        "quand vais-je recevoir {colis}",
        "{colis} n'est pas arrivé",
        "la livraison de {colis}",
        "où se trouve {colis}",
      ],
      annulation: [
        "je veux résilier mon abonnement",
        "annulez mon abonnement",
        "résilier l'abonnement s'il vous plaît",
        "je souhaite arrêter l'abonnement",
        "comment annuler mon abonnement",
        "mettre fin à mon abonnement",
        "je voudrais annuler",
        "résiliation de l'abonnement",
      ],
    };
    const routes = Object.entries(french).map(([route, phrasings]) => ({ route, phrasings }));
    const request = {
      name: "boutique",
      languages: ["fr", "fr"],
      slots: { colis: ["mon colis", "ma commande", "le paquet"] },
      routes,
    };
    assert.deepEqual((await publishedSchemas(fixture)).ofRequest("/v1/heads", request), []);
    const head = await trained(request);
    assert.deepEqual([head.state, head.languages], ["live", ["fr"]]);
    assert.equal((await decided("boutique", { state: "Où est donc ma commande ?" })).choice, "livraison");
    assert.equal((await decided("boutique", { state: "Je voudrais résilier mon abonnement" })).choice, "annulation");
    const { data } = (await fixture.ask("/v1/experts")).json();
    assert.deepEqual(data.find(({ name }: { name: string }) => name === "boutique").languages, ["fr"]);
  });

  test("works in several languages and reports the accuracy of each", async () => {
    const french = [
      "quel temps fait-il",
      "va-t-il pleuvoir",
      "météo de demain",
      "il fait froid dehors",
      "vent et pluie",
    ];
    const examples = [
      ...(TOPICS["weather"] ?? []).map((text) => ({ text: `${text} then`, route: "weather", lang: "en" })),
      ...french.map((text) => ({ text, route: "weather", lang: "fr" })),
      // Labeled contrary to all others.
      ...["will it rain here", "is it sunny here"].map((text) => ({ text, route: "refund", lang: "xx" })),
      { text: "la lune est en fromage", route: null, lang: "fr" },
    ];
    const head = await trained(trainingRequest({ name: "polyglot", examples }));
    const [english, own, other, ...more] = head.report.languages;
    assert.deepEqual(
      [english, other, more],
      [{ lang: "en", n: 8, accuracy: 1 }, { lang: "xx", n: 2, accuracy: 0 }, []],
    );
    assert.deepEqual([own.lang, own.n], ["fr", 5]);
    assert.ok(own.accuracy < 1);
    const card = await fixture.ask(`/v1/heads/${head.id}/card`);
    for (const row of ["| en | 8 | 1 |", "| xx | 2 | 0 |"]) assert.ok(card.body.includes(row), row);
  });

  test("reports texts with conflicting labels and uses the most frequent label", async () => {
    const example = (text: string, route: string) => ({ text, route });
    const examples = [
      example("Will it snow?", "weather"),
      example("will it snow", "weather"),
      example("WILL IT SNOW!", "refund"),
    ];
    const head = await trained(trainingRequest({ name: "disputed", examples }));
    assert.deepEqual(head.report.contradictions, [{ text: "WILL IT SNOW!", routes: ["weather", "refund"] }]);
    assert.equal(head.report.n, 65);
    const card = await fixture.ask(`/v1/heads/${head.id}/card`);
    assert.match(card.body, /1 texts had conflicting labels/);
  });

  test("gives the same bytes whatever the order of routes, phrasings, slot values and examples", async () => {
    const random = seeded(7);
    const { routes, ...rest } = trainingRequest({ name: "ordered" });
    const examples = Object.entries(TOPICS).flatMap(([route, texts]) =>
      texts.map((text) => ({ text: `${text} now`, route })),
    );
    const first = await trained({ ...rest, routes, examples });
    const again = await trained({
      ...rest,
      routes: random.shuffle(routes).map((route) => ({ ...route, phrasings: random.shuffle(route.phrasings) })),
      slots: { greeting: rest.slots.greeting.toReversed() },
      examples: random.shuffle(examples),
    });
    assert.deepEqual([again.version, again.sha256], [2, first.sha256]);
    const seed = await trained({ ...rest, routes, examples, seed: 2 });
    assert.notEqual(seed.sha256, first.sha256);
  });

  // The long form trains 255 of them.
  test("accepts dozens of routes and at most 255", async () => {
    const refused = await fixture.ask("/v1/heads", { body: wideTrainingRequest(256) });
    assert.deepEqual([refused.statusCode, refused.json().errors[0].path], [400, "/routes"]);
    const head = await trained(wideTrainingRequest(30));
    assert.deepEqual([head.state, head.routes.length], ["live", 30]);
    assert.equal(head.size.dense_bytes, 64 + 30 * (48 + 8));
    const { choice, probabilities } = await decided("wide", { state: "do show the piano of apple, number 6" });
    assert.deepEqual([choice, Object.keys(probabilities).length], ["route 6", 30]);
  });
});

describe("a head is rejected permanently", () => {
  const cases = [
    { reason: "ece", examples: contraryExamples() },
    { reason: "no_signal", examples: randomExamples() },
  ] as const;

  for (const { reason, examples } of cases)
    test(`if its report says ${reason}`, async () => {
      const routes = [{ route: "refund" }, { route: "weather" }];
      const { id, state, links, report, ...head } = await trained({ name: `bad_${reason}`, routes, examples });
      assert.deepEqual([state, head.reason, links], ["rejected", reason, {}]);
      if (reason === "ece") assert.ok(report.ece_ci95[0] > 0.05 && report.accuracy > report.majority);
      for (const [path, body] of [
        [`/v1/heads/${id}/promote`, { force: true }],
        [`/v1/heads/${id}/shadow`, { enabled: true }],
        ["/v1/route", { state: "hi", expert: id }],
        ["/v1/route", { state: "hi", expert: `bad_${reason}` }],
        ["/v1/feedback", { state: "hi", expert: id, route: "refund", recalibrate: true }],
      ] as const) {
        const refused = await fixture.ask(path, { body });
        assert.deepEqual(
          [refused.statusCode, refused.json().code, refused.json().state],
          [409, "head_not_ready", "rejected"],
        );
      }
      for (const file of ["artifact", "card"])
        assert.equal((await fixture.ask(`/v1/heads/${id}/${file}`)).json().code, "head_not_ready");
      const { data } = (await fixture.ask("/v1/experts")).json();
      assert.ok(data.every(({ name }: { name: string }) => name !== `bad_${reason}`));
    });
});

/** The label does not depend on the text. */
function randomExamples() {
  const random = seeded(5);
  const texts = trainingRequest().routes.flatMap(({ phrasings }) => phrasings);
  return texts.map((text, index) => ({ text: `${text} ${index}`, route: random.pick(["refund", "weather"]) }));
}
