/** Which variables the commands of a repository get: setup, checks and agent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentOf } from "../src/process/environment.ts";
import { certificatePaths, networkSecretsOf, setupNetworkOf } from "../src/process/network-environment.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";
import { runStory } from "./support/run-story.ts";
import { createScriptedAgent, readScript } from "../src/index.ts";

const SEALED = "npm-token-4711-4711";
const FOLDERS = { home: "/run/home", temporary: "/run/tmp" };

test("passes sealed variables and the proxy to setup only, plain ones to every command, and redacts sealed values", async () => {
  await using repository = makeRepository(RED_FILES);
  const printCommand = 'echo "$WHO plain=$PLAIN sealed=$SEALED proxy=$HTTPS_PROXY ca=$NODE_EXTRA_CA_CERTS home=$HOME"';
  const verify = {
    setupCommand: `WHO=setup; test "$SEALED" = ${SEALED} || exit 3; ${printCommand}`,
    command: `WHO=check; ${printCommand}; false`,
    timeoutS: 60,
    retries: 0,
    baseline: true,
  };
  const { items } = await runStory(repository, {
    agent: createScriptedAgent(readScript({ rounds: [[]] }), async () => {}),
    hostEnvironment: { HTTPS_PROXY: "http://ann:hunter2-hunter2@proxy.example:3128", NODE_EXTRA_CA_CERTS: "/ca.pem" },
    request: {
      verify,
      environment: [
        { name: "PLAIN", value: "plain-value", sealed: false },
        { name: "SEALED", value: SEALED, sealed: true },
        { name: "HOME", value: "/elsewhere", sealed: false },
      ],
    },
  });
  const text = items.map((item) => item.text).join("\n");
  assert.match(
    text,
    /setup plain=plain-value sealed=\[redacted:SEALED\] proxy=http:\/\/.*proxy\.example:3128 ca=\/ca\.pem/,
  );
  assert.match(text, /check plain=plain-value sealed= proxy= ca=\/ca\.pem/);
  assert.ok(!text.includes(SEALED) && !text.includes("hunter2-hunter2") && !text.includes("home=/elsewhere"));
});

test("passes on only listed variables of the worker's machine", () => {
  const host = {
    PATH: "/bin",
    AWS_SECRET_ACCESS_KEY: "secret",
    SSL_CERT_FILE: "/etc/ca.pem",
    SSL_CERT_DIR: "relative",
    https_proxy: "http://proxy.example:3128",
    npm_config_registry: "https://registry.example/",
    npm_config__auth: "secret",
  };
  const environment = environmentOf(host, FOLDERS);
  assert.equal(environment["SSL_CERT_FILE"], "/etc/ca.pem");
  assert.equal(environment["https_proxy"], undefined);
  assert.equal(environment["AWS_SECRET_ACCESS_KEY"], undefined);
  assert.deepEqual(setupNetworkOf(host), {
    https_proxy: "http://proxy.example:3128",
    npm_config_registry: "https://registry.example/",
  });
  assert.deepEqual(certificatePaths(host), ["/etc/ca.pem"]);
});

test("treats a password in a proxy address as a secret of the run", () => {
  const secrets = networkSecretsOf({ HTTP_PROXY: "http://ann:p%40ssword-1@proxy.example:3128", NO_PROXY: "localhost" });
  assert.deepEqual([...secrets], [["HTTP_PROXY", "p@ssword-1"]]);
});
