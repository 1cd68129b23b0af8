/** The example `library-bot`: its README shows training, calibration, the check and requests. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingPart, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createReleasedFixture, type Fixture } from "../support/create-fixture.ts";
import { runCommand } from "../support/run-command.ts";

const EXAMPLE = fileURLToPath(new URL("../../../../examples/library-bot/", import.meta.url));
/** A row of the table of requests. */
const REQUEST =
  /^\| (?<state>[^|]+) \| `(?<action>\w+)` \| `(?<route>\w+)` \| (?<confidence>0\.\d+) \| `(?<reason>\w+)` \|$/gm;

const read = (name: string) => readFile(join(EXAMPLE, name), "utf8");
let fixture: Fixture;
let readme: string;
before(async () => {
  fixture = await createReleasedFixture();
  readme = await read("README.md");
  const trained = await fixture.ask("/v1/heads", {
    body: await read("examples.json"),
    headers: { prefer: "wait=60" },
  });
  assert.equal(trained.statusCode, 201, trained.body);
});
after(() => fixture[Symbol.asyncDispose]());

test("calibrate and check print what the README shows", async () => {
  const url = await fixture.server.fastify.listen({ host: "127.0.0.1", port: 0 });
  const folder = await mkdtemp(join(tmpdir(), "triptych-library-bot-"));
  try {
    const script = await read("check.sh");
    let count = 0;
    for (const { command, output } of transcriptsIn(readme)) {
      const [, args] = /triptych router (.+)/.exec(command === "./check.sh" ? script : command) ?? [];
      if (args === undefined) continue;
      const words = args
        .replace("labels.jsonl", join(EXAMPLE, "labels.jsonl"))
        .replace("lock.json", join(folder, "lock.json"));
      const { code, out, err } = await runCommand([...words.split(" "), "--url", url]);
      assert.equal(code, 0, err);
      assert.equal(missingPart(output, out), null, out);
      count += 1;
    }
    assert.equal(count, 2);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("requests get the decisions of the README's table", async () => {
  const [, threshold] = /"min_conf": (0\.\d+)\}/.exec(readme) ?? [];
  const requests = [...readme.matchAll(REQUEST)];
  assert.equal(requests.length, 6);
  for (const { groups: { state, ...expected } = {} } of requests) {
    const body = { state, expert: "library", min_conf: Number(threshold) };
    const { action, route, confidence, reason } = (await fixture.ask("/v1/route", { body })).json();
    assert.deepEqual({ action, route, confidence: confidence.toFixed(3), reason }, { ...expected }, state);
  }
});
