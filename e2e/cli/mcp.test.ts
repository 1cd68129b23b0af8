/** A real agent as the client of `triptych mcp`: Codex reads a resource and calls a tool of a directory on loopback. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, startDirectory } from "../processes.ts";
import { startModelServer, type Script } from "./model-server.ts";
import { OWN_PROGRAMS } from "./story.ts";

const START = fileURLToPath(new URL("../../start.mjs", import.meta.url));

const search: Script = ({ tools, results }) => {
  const resource = { server: "triptych", uri: "directory://place/rennes" };
  if (results === 0) return { kind: "tool", name: "read_mcp_resource", arguments: resource };
  const tool = tools.find(({ name }) => name === "directory_search");
  if (results > 1 || tool === undefined) return { kind: "text", text: "Rennes" };
  return { kind: "tool", ...tool, arguments: { q: "prefecture bretagne", limit: 1 } };
};

test("codex reads a resource and calls a tool", async () => {
  await using open = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "e2e-mcp-"));
  open.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const port = String(await freePort());
  open.use(await startDirectory({ TRIPTYCH_DATA: folder, DIRECTORY_PORT: port }));
  const { directory } = JSON.parse(readFileSync(join(folder, "credentials.json"), "utf8"));
  const model = open.use(await startModelServer(search));
  const settings = {
    check_for_update_on_startup: false,
    "analytics.enabled": false,
    model_provider: "scripted",
    "model_providers.scripted.name": "scripted",
    "model_providers.scripted.base_url": `${model.url}/v1`,
    "model_providers.scripted.wire_api": "responses",
    "model_providers.scripted.env_key": "MODEL_KEY",
    "model_providers.scripted.supports_websockets": false,
    "mcp_servers.triptych.command": process.execPath,
    "mcp_servers.triptych.args": [START, "mcp"],
    "mcp_servers.triptych.env_vars": ["DIRECTORY_URL", "DIRECTORY_KEY"],
  };
  const args = [
    ..."exec --json --color never --skip-git-repo-check --ephemeral --ignore-user-config --ignore-rules".split(" "),
    ..."--sandbox danger-full-access --model gpt-x".split(" "),
    ...Object.entries(settings).flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
    "Which prefecture does Bretagne have?",
  ];
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    MODEL_KEY: "model-key",
    DIRECTORY_URL: `http://127.0.0.1:${port}`,
    DIRECTORY_KEY: directory.discovery_key,
  };
  const child = spawn(join(OWN_PROGRAMS, "codex"), args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  await once(child, "close");
  const sent = model.calls.at(-1)?.text ?? "";
  assert.match(sent, /Untrusted data from the directory/, output);
  assert.match(sent, /Next page: repeat the call/, output);
  assert.ok(!sent.includes(directory.discovery_key));
});
