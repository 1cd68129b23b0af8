import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { Script } from "node:vm";
import {
  directoryContract,
  gatewayContract,
  panelContract,
  railContract,
  type ServiceContract,
} from "@triptych/contracts";
import { codeSamples } from "../src/pages/code-samples.ts";
import { requestExample } from "../src/pages/request-example.ts";

const origin = "http://127.0.0.1:7000";
const contracts = [directoryContract, gatewayContract, panelContract, railContract];

function samplesOf({ endpoints, ...contract }: ServiceContract, language: string): readonly string[] {
  return endpoints
    .flatMap((endpoint) => requestExample({ endpoints, ...contract }, endpoint))
    .flatMap((example) => codeSamples(origin, example))
    .filter((sample) => sample.language === language)
    .map(({ code }) => code);
}

const has = (command: string) => spawnSync(command, ["--version"]).error === undefined;
const without = (command: string) => (has(command) ? false : `without ${command}`);

test("a request is shown in curl, JavaScript, Python, PHP and Go, with credential and IDs as environment variables", () => {
  const samples = codeSamples(origin, {
    method: "PATCH",
    path: "/api/repos/{repoId}",
    body: { focus: "it's late" },
    carrier: { header: "Authorization", prefix: "Bearer ", variable: "ACCESS_TOKEN" },
  });
  const expected: readonly (readonly [string, string, string])[] = [
    ["curl", `"${origin}/api/repos/$REPO_ID"`, '"Authorization: Bearer $ACCESS_TOKEN"'],
    ["JavaScript", `\`${origin}/api/repos/\${process.env.REPO_ID}\``, "`Bearer ${process.env.ACCESS_TOKEN}`"],
    ["Python", `f"${origin}/api/repos/{os.environ['REPO_ID']}"`, `f"Bearer {os.environ['ACCESS_TOKEN']}"`],
    ["PHP", `"${origin}/api/repos/" . getenv("REPO_ID"),`, '"Authorization: Bearer " . getenv("ACCESS_TOKEN")'],
    ["Go", `"${origin}/api/repos/" + os.Getenv("REPO_ID")`, '"Bearer " + os.Getenv("ACCESS_TOKEN")'],
  ];
  assert.deepEqual(
    samples.map(({ language }) => language),
    expected.map(([language]) => language),
  );
  for (const [index, [language, ...parts]] of expected.entries())
    for (const part of parts) assert.ok(samples[index]?.code.includes(part), `${language}: ${part}`);
});

for (const contract of contracts) {
  test(`every JavaScript sample of ${contract.name} parses`, () => {
    for (const code of samplesOf(contract, "JavaScript")) assert.ok(new Script(code));
  });

  test(`every curl sample of ${contract.name} parses`, { skip: without("bash") }, () => {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: samplesOf(contract, "curl").join("\n\n") });
    assert.equal(status, 0, String(stderr));
  });

  test(`every Python sample of ${contract.name} compiles`, { skip: without("python3") }, () => {
    const program = "import json, sys\nfor code in json.load(sys.stdin): compile(code, code, 'exec')";
    const input = JSON.stringify(samplesOf(contract, "Python"));
    const { status, stderr } = spawnSync("python3", ["-c", program], { input });
    assert.equal(status, 0, String(stderr));
  });

  test(`every PHP sample of ${contract.name} parses`, { skip: without("php") }, () => {
    const program = "foreach (json_decode(stream_get_contents(STDIN)) as $code) token_get_all($code, TOKEN_PARSE);";
    const { status, stderr } = spawnSync("php", ["-r", program], { input: JSON.stringify(samplesOf(contract, "PHP")) });
    assert.equal(status, 0, String(stderr));
  });

  test(`every Go sample of ${contract.name} parses`, { skip: without("gofmt") }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "samples-"));
    const samples = samplesOf(contract, "Go");
    await Promise.all(samples.map((code, index) => writeFile(join(folder, `${index}.go`), code)));
    const { status, stderr } = spawnSync("gofmt", ["-e", "-l", folder]);
    await rm(folder, { recursive: true });
    assert.equal(status, 0, String(stderr));
  });

  test(`curl and JavaScript samples of ${contract.name} send the request`, { skip: without("curl") }, async () => {
    const endpoint = contract.endpoints.find(({ auth, body }) => auth !== null && body !== undefined);
    const example = requestExample(contract, endpoint ?? contract.endpoints[0]);
    const { carrier } = example;
    const received: unknown[] = [];
    const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, url, headers } = request;
      const body = headers["content-type"] === undefined ? undefined : await json(request);
      received.push({ method, path: url, credential: headers[carrier?.header.toLowerCase() ?? "none"], body });
      response.setHeader("Content-Type", "application/json").end("{}");
    };
    await using server = createServer((request, response) => void receive(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const samples = codeSamples(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, example);
    const env = { ...process.env, ID: "abc", [carrier?.variable ?? "NONE"]: "secret" };
    for (const [command, language] of [
      ["bash", "curl"],
      [process.execPath, "JavaScript"],
    ] as const) {
      const code = samples.find((sample) => sample.language === language)?.code ?? "";
      const child = spawn(command, [command === "bash" ? "-c" : "-e", code], { env, stdio: "ignore" });
      assert.deepEqual(await once(child, "close"), [0, null], language);
    }
    const { method, path, body } = example;
    const sent = { method, path: path.replaceAll(/\{\w+\}/g, "abc"), body };
    const request = { ...sent, credential: carrier === null ? undefined : `${carrier.prefix}secret` };
    assert.deepEqual(received, [request, request]);
  });
}
