import assert from "node:assert/strict";
import { test } from "node:test";
import { startServiceProcess } from "./support/service-process.ts";
import { sharedFixture, hashOf, until, untilReady, type Asking } from "./support/create-fixture.ts";
import { openWire } from "./support/wire.ts";

const TEXT = "plantedtext7f3a my secret diagnosis";
const CONTEXT = "plantedcontext91bc";
const LABEL = "plantedlabel55aa";
const KEY = "planted-key-of-the-client";

test("texts, labels, tokens and client keys never appear in a log line, metric or error", async () => {
  const fixture = await sharedFixture();
  await using router = await openWire(fixture.routerUrl);
  await using rail = await openWire(fixture.railUrl);
  const lines = { ROUTER_INTERNAL_URL: router.url, RAIL_INTERNAL_URL: rail.url };
  await using gateway = await startServiceProcess(["gateway"], { ...fixture.context, ...lines, LOG_LEVEL: "debug" });
  await untilReady(gateway.url);
  const wallet = await fixture.openWallet();
  const empty = await fixture.openWallet({ decisions: 0 });
  const messages = [
    { role: "system", content: CONTEXT },
    { role: "user", content: TEXT },
  ];
  const requests: Asking[] = [];
  for (const body of [
    { messages, explain: true },
    { state: TEXT, options: { [LABEL]: CONTEXT, other: null } },
    { state: TEXT, options: [LABEL] },
    { state: TEXT, expert: LABEL.slice(0, 20) },
    { state: 5, questions: TEXT },
    `{"state":"${TEXT}"`,
    { name: LABEL, routes: [{ route: LABEL, phrasings: [TEXT] }] },
  ])
    for (const credential of [
      { token: wallet.token },
      { bearer: wallet.token },
      { token: empty.token },
      { token: `${wallet.token}x` },
      { token: wallet.token, key: KEY },
      { token: wallet.token, key: `${KEY} with blanks` },
    ])
      requests.push({ ...credential, body });
  const paths = ["/v1/route", "/v1/systemone", "/v1/heads", `/v1/assess?state=${encodeURIComponent(TEXT)}`];
  const decide = () => gateway.ask("/v1/route", { token: wallet.token, body: { state: TEXT } });
  // On a busy machine, router and rail may miss a health check, so start when a decision is delivered.
  let delivered = await decide();
  while (delivered.status === 503) delivered = await decide();
  const answers = [delivered];
  for (const path of paths) for (const request of requests) answers.push(await gateway.ask(path, request));
  answers.push(await gateway.ask(`/v1/heads/${wallet.token}`, { token: wallet.token }));
  await router.cut();
  answers.push(await gateway.ask("/v1/route", { token: wallet.token, body: { state: TEXT } }));
  await router.mend();
  await rail.cut();
  answers.push(await gateway.ask("/v1/route", { token: empty.token, key: KEY, body: { state: TEXT } }));

  const errors = answers.filter(({ status }) => status >= 400);
  const metrics = (await gateway.ask("/metrics")).text;
  await until(
    "the log is written",
    () => /"status":503,[^\n]*\n/.test(gateway.output()) && gateway.output().endsWith("\n"),
  );
  const outputs = {
    logs: gateway.output(),
    metrics,
    errors: errors.map(({ text, headers }) => text + JSON.stringify([...headers])).join("\n"),
  };
  const planted = [TEXT, "plantedtext7f3a", "diagnosis", CONTEXT, KEY, wallet.token, empty.token];
  for (const [output, text] of Object.entries(outputs))
    for (const secret of [...planted, hashOf(wallet.token), fixture.serviceToken])
      assert.ok(!text.includes(secret), `${secret} appears in ${output}`);
  for (const text of [outputs.logs, outputs.metrics]) assert.ok(!text.includes(LABEL));
  const statuses = answers.map(({ status }) => status).join(" ");
  assert.ok(errors.length > 50 && errors.length < answers.length, statuses);
  assert.ok(outputs.logs.includes("/v1/route") && outputs.metrics.includes('op="route"'));
  assert.deepEqual(new Set(errors.map(({ status }) => status)).has(500), false);
});
