import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { programsInside } from "../../src/agents/find-program.ts";
import { discoverAgents } from "../../src/agents/agent-registry.ts";
import { createCommandAgent } from "../../src/index.ts";
import { chatAnswer, startModel } from "../model-proxy/model-server.ts";
import { NO_MODELS } from "../support/no-models.ts";
import { makeRepository } from "../support/repository.ts";
import { runStory } from "../support/run-story.ts";
import { mendOf } from "../../src/scouts/mend/mend.ts";
import { INSTANT_CLOCK } from "../support/start-worker.ts";
import { ESCAPES } from "./escapes.ts";
import { openHost, writeRunFiles } from "./host.ts";
import { ID, inContainer, makeImages } from "./images.ts";
import { openSandbox } from "./open-sandbox.ts";

const TOOLS =
  "sh cat ls sed grep ln touch rm tail tr head perl mount unshare nsenter chroot mknod hostname date env test sleep".split(
    " ",
  );
const images = makeImages(TOOLS);
after(() => images[Symbol.dispose]());
const opened = inContainer.skip === false ? images.open() : undefined;
opened?.catch(() => {});

async function container() {
  assert.ok(opened !== undefined);
  return opened;
}

test("shows the image's files, programs and environment without secrets", inContainer, async () => {
  const { level, lacks, sandboxes, imageId } = await container();
  assert.deepEqual([level, lacks, imageId], ["container", null, ID]);
  await using sandbox = await openSandbox({ sandboxes });
  assert.equal(sandbox.factory.level, "container");
  const { output } = await sandbox.run(
    'ls /usr /etc /; cat /release; echo "$PATH $OF_IMAGE ${IMAGE_TOKEN-none} ${LD_PRELOAD-none}"; test -u /bin/cat || echo plain',
  );
  assert.match(output, /^\/:\nbin\ndev\netc\nlib\nlib64\nproc\nrelease\nrun\ntmp\nusr\nvar\n/m);
  assert.match(output, /^\/etc:\ngroup\nhosts\nos-release\npasswd\nresolv\.conf\n/m);
  assert.match(output, /^\/usr:\nbin\nID=/m);
  assert.match(output, /ID=of-the-image\n\/run\/triptych\/\S+:\/opt\/own:\/bin yes none none\nplain\n$/);
});

/** `escape.test.ts` covers each escape; this test covers each kind, and all in the long form. */
const TRIED = process.env["TEST_LONG"] === undefined ? ESCAPES.filter((_, index) => index % 4 === 1) : ESCAPES;

test(`blocks ${TRIED.length} escapes in an image`, inContainer, async () => {
  const { sandboxes } = await container();
  await using host = await openHost();
  await using sandbox = await openSandbox({ sandboxes });
  const environment = { ...host.environment, ...writeRunFiles(sandbox), NODE: "node" };
  const files = readdirSync(join(images.work, "images", ID), { recursive: true });
  for (const { what, script } of TRIED) {
    const { end, output } = await sandbox.run(script, { environment });
    assert.ok(end.kind === "exited" && end.code !== 127, `${what}: ${JSON.stringify(end)} ${output}`);
    assert.notEqual(end.code, 0, `${what}: ${output}`);
  }
  assert.deepEqual(readdirSync(host.outside).sort(), ["secret", "socket"]);
  assert.deepEqual(readdirSync(join(images.work, "images", ID), { recursive: true }), files);
  assert.ok(host.isSleeperRunning());
});

test(
  "repairs a failing repository with the image's tools, and checks it with the worker's gates",
  inContainer,
  async () => {
    const { sandboxes } = await container();
    await using repository = makeRepository({
      "sum.sh": "echo $(($1 - $2))\n",
      "check.sh": "test $(sh sum.sh 2 3) = 5\n",
      LICENSE: "MIT\n",
      "package.json": '{"dependencies":{"left":"^2.0.0"}}\n',
      "README.md": "# Sum\n\n[up](#sum)\n",
      "src/a.ts": "export const a = (x: number) => x;\n",
      "test/a.test.ts": 'import { a } from "../src/a.ts";\nassert.equal(a(1), 1);\n',
    });
    const gates = ["has licence", "tested src/a.ts", "dep-at-least left 1.0.0", "link README.md '#sum'"];
    const { outcome, items } = await runStory(repository, {
      agent: createCommandAgent(["sed", "-i", "s/ - / + /", "sum.sh"]),
      createSandbox: sandboxes(NO_MODELS),
      request: {
        isolation: { levelRequired: "container", network: "model_only", allowHosts: [] },
        verify: {
          command: ["sh check.sh", ...gates.map((gate) => `triptych gate ${gate}`)].join(" && "),
          setupCommand: null,
          timeoutS: 300,
          retries: 0,
          baseline: true,
        },
      },
    });
    assert.equal(outcome.kind, "delivered", JSON.stringify([outcome, items]));
    assert.equal(outcome.kind === "delivered" && outcome.report.verdict, "passed");
  },
);

test("reaches only the model with `model_only` in an image, and nothing with `none`", inContainer, async () => {
  const { sandboxes } = await container();
  await using model = await startModel(chatAnswer({ input: 3, output: 4 }));
  const provider = { id: "openai", baseUrl: model.url, key: "sk-the-real-key", keyHeader: "authorization" } as const;
  const models = { providers: [provider], addressOf: async () => null };
  await using sandbox = await openSandbox({ sandboxes, network: "model_only", models });
  const { modelProxy } = sandbox.factory;
  const environment = { MODEL: modelProxy?.addressOf("openai") ?? "", PASS: modelProxy?.pass ?? "", BESIDE: model.url };
  const { output } = await sandbox.run(`node -e '${ASK}'`, { environment });
  assert.match(output, /"content":"well"[^]*no way: ECONNREFUSED/);
  assert.ok(!output.includes("the-real-key"));
  await using closed = await openSandbox({ sandboxes, network: "none", models });
  assert.equal(closed.factory.modelProxy, null);
  assert.match(
    (await closed.run(`node -e '${ASK}'`, { environment })).output,
    /^no way: ECONNREFUSED\nno way: ECONNREFUSED\n$/,
  );
  assert.equal(model.requests.length, 1);
});

const ASK = `const ask = (url, headers) => fetch(url, { method: "POST", headers, body: "{}" })
  .then((answer) => answer.text()).then(console.log, (error) => console.log("no way:", error.cause.code));
ask(process.env.MODEL + "/chat/completions", { authorization: "Bearer " + process.env.PASS }).then(() => ask(process.env.BESIDE))`;

test("offers only agents of the image, with the versions that they report inside it", inContainer, async () => {
  const { sandboxes } = await container();
  const programs = programsInside(sandboxes(NO_MODELS), { PATH: process.env["PATH"] });
  assert.equal(await programs.find("sed"), "/bin/sed");
  assert.equal(await programs.find("git"), undefined);
  assert.equal(await programs.printed(["/bin/cat", "/etc/os-release"], { timeoutMs: 20_000 }), "ID=of-the-image\n");
  const { all, folders } = await discoverAgents({
    named: new Map(),
    only: ["codex"],
    hasScripted: false,
    mend: mendOf({}),
    host: {},
    programs,
    wait: INSTANT_CLOCK.wait,
  });
  const codex = all.find(({ cli }) => cli === "codex");
  assert.deepEqual([codex?.version, codex?.models, folders], ["0.169.0", [], []]);
});

test(
  "unpacks an image once, without permissions for other users, and replaces it with the next image",
  inContainer,
  async () => {
    await container();
    const root = join(images.work, "images", ID);
    assert.equal(statSync(join(root, "bin/cat")).mode & 0o7777, 0o755 & statSync(join(root, "bin/ls")).mode);
    await images.open();
    assert.deepEqual(readFileSync(images.callLog, "utf8").match(/^(?:create|export)/gm), ["create", "export"]);

    using other = makeImages();
    mkdirSync(join(other.work, "images", `${"a".repeat(64)}.part`, "files"), { recursive: true });
    mkdirSync(join(other.work, "images", "b".repeat(64)));
    // Files that an image may contain, and links that must not resolve on the host.
    rmSync(join(other.root, "etc/hosts"), { force: true });
    symlinkSync(join(other.folder, "victim"), join(other.root, "etc/hosts"));
    if (process.getuid?.() === 0) execFileSync("mknod", [join(other.root, "disk"), "b", "8", "0"]);
    await other.open();
    assert.deepEqual(readdirSync(join(other.work, "images")), [ID]);
    assert.ok(!existsSync(join(other.folder, "victim")) && !existsSync(join(other.work, "images", ID, "disk")));
  },
);

test("refuses an archive with paths outside, and removes its files", inContainer, async () => {
  using other = makeImages();
  const archive = join(other.folder, "archive");
  const tar = (...args: readonly string[]) => execFileSync("tar", args, { cwd: other.folder, stdio: "pipe" });
  writeFileSync(join(other.folder, "evil"), "evil\n");
  tar("-cPf", archive, "--transform", "s,^evil,../../../written,", "evil");
  await assert.rejects(other.open(), /--isolation container: the image cannot be unpacked: tar: .*'\.\.'/);
  symlinkSync(other.folder, join(other.folder, "way"));
  tar("-cf", archive, "way");
  tar("-rf", archive, "--transform", "s,^evil,way/written,", "evil");
  await assert.rejects(other.open(), /the image cannot be unpacked/);
  rmSync(archive);
  tar("-cf", archive, "evil");
  await assert.rejects(other.open(), /cannot start \/bin\/sh in tools:1: /);
  assert.ok(!existsSync(join(other.folder, "written")) && !existsSync(join(other.work, "written")));
});

test("never uses an image whose unpacking was killed", inContainer, async () => {
  using other = makeImages();
  writeFileSync(join(other.folder, "hang"), "");
  const child = fileURLToPath(new URL("../children/unpacking-worker.ts", import.meta.url));
  const worker = spawn(process.execPath, [child, other.work, ...other.engine], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  using hanging = watchFor(other.folder, "hanging");
  const ended = once(worker, "exit");
  await Promise.race([hanging.seen, ended]);
  worker.kill("SIGKILL");
  await ended;
  process.kill(Number(readFileSync(join(other.folder, "hanging"), "utf8")), "SIGKILL");
  assert.deepEqual(readdirSync(join(other.work, "images")), [`${ID}.part`]);
  rmSync(join(other.folder, "hang"));
  const { sandboxes } = await other.open();
  assert.deepEqual(readdirSync(join(other.work, "images")), [ID]);
  await using sandbox = await openSandbox({ sandboxes });
  assert.equal((await sandbox.run("cat /release")).output, "ID=of-the-image\n");
});

function watchFor(folder: string, name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = () => {
    if (existsSync(join(folder, name)) && readFileSync(join(folder, name), "utf8").endsWith("\n")) resolve();
  };
  const watcher = watch(folder, check);
  return { seen: promise, [Symbol.dispose]: () => watcher.close() };
}

test("mounts a folder of `--mount-ro` at its own path, beside the image's files", inContainer, async () => {
  await container();
  const { sandboxes } = await images.open("tools:1", images.engine, ["/usr/sbin"]);
  await using sandbox = await openSandbox({ sandboxes });
  assert.equal(
    (await sandbox.run("ls /usr; touch /usr/sbin/written || ls /usr/bin")).output.replace(/^touch.*\n/m, ""),
    "bin\nsbin\nenv\n",
  );
  for (const tooMuch of ["/", `${images.work}/`, `${images.work}/..`])
    await assert.rejects(
      images.open("tools:1", images.engine, [tooMuch]),
      /container: --mount-ro .*: this path contains the worker's folder/,
    );
});
