import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { chatAnswer, startModel } from "../model-proxy/model-server.ts";
import { inSandbox, openSandbox } from "./open-sandbox.ts";

const node = (program: string) => `"${process.execPath}" -e '${program}'`;
const ASK = `fetch(process.env.MODEL + "/chat/completions", { method: "POST", headers: { authorization: "Bearer " + process.env.PASS }, body: "{}" })
  .then((answer) => answer.text()).then(console.log, (error) => console.log("no way:", error.cause.code))`;

test("lets only agents reach the model with `model_only`, and nothing else", inSandbox, async () => {
  await using model = await startModel(chatAnswer({ input: 3, output: 4 }));
  const provider = { id: "openai", baseUrl: model.url, key: "sk-the-real-key", keyHeader: "authorization" } as const;
  await using sandbox = await openSandbox({
    network: "model_only",
    models: { providers: [provider], addressOf: async () => null },
  });
  const { modelProxy } = sandbox.factory;
  assert.ok(modelProxy !== null);
  const environment = { MODEL: modelProxy.addressOf("openai") ?? "", PASS: modelProxy.pass };
  const beside = node(`fetch("${model.url}").catch((error) => console.log("closed:", error.cause.code))`);
  const agent = await sandbox.run(`${node(ASK)}; ${beside}; env`, { environment });
  assert.match(agent.output, /"content":"well"/);
  assert.match(agent.output, /closed: ECONNREFUSED/);
  assert.ok(!agent.output.includes("the-real-key"));
  assert.equal(model.requests.length, 1);
  assert.equal(model.requests[0].headers.authorization, "Bearer sk-the-real-key");
  assert.equal(modelProxy.spent().outputTokens, 4);

  for (const purpose of ["setup", "check"] as const) {
    const { output } = await sandbox.run(node(ASK), { environment, purpose });
    assert.match(output, /no way: ECONNREFUSED/);
  }
  assert.equal(model.requests.length, 1);
});

test("reaches only public hosts of the list through the proxy with `allow_list`", inSandbox, async () => {
  const requests: IncomingMessage[] = [];
  const host = createServer((request, response) => {
    requests.push(request);
    response.end("welcome\n");
  });
  host.listen(0, "127.0.0.1");
  await once(host, "listening");
  const { port } = host.address() as AddressInfo;
  try {
    await using sandbox = await openSandbox({
      network: "allow_list",
      allowHosts: [`registry.test:${port}`, "*.private.test"],
      // As public DNS would resolve.
      models: { providers: [], addressOf: async (name) => (name === "registry.test" ? "127.0.0.1" : null) },
    });
    const get = (url: string) =>
      node(`fetch("${url}").then((a) => a.text()).then((t) => console.log(t), (e) => console.log("closed"))`);
    const urls = [
      `http://registry.test:${port}/a`,
      `http://other.test:${port}/`,
      "http://x.private.test/",
      `http://127.0.0.1:${port}/`,
    ];
    // As a program sends a plain request to a proxy, without a tunnel.
    const plain = (url: string) =>
      node(
        `require("http").get({ ...require("url").urlToHttpOptions(new URL(process.env.HTTP_PROXY)), path: "${url}" }, (a) => a.pipe(process.stdout))`,
      );
    const script = [...urls.map(get), plain(`http://registry.test:${port}/b`), plain("http://x.private.test/")].join(
      "; ",
    );
    const { output } = await sandbox.run(script, { purpose: "setup" });
    assert.equal(output, "welcome\n\nclosed\nclosed\nclosed\nwelcome\nthis host is not allowed\n");
    assert.deepEqual(
      requests.map(({ url, headers }) => [url, headers.host]),
      [
        ["/a", `registry.test:${port}`],
        ["/b", `registry.test:${port}`],
      ],
    );
  } finally {
    host.close();
    host.closeAllConnections();
  }
});
