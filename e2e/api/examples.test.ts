/** Runs the programs in `examples/`, with types generated from the OpenAPI documents, against real services. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openInstallation, type Installation } from "../../test/support/product.ts";
import { generateTypes } from "./generate-types.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const LANGUAGES = [
  { language: "python", program: "python3", version: "--version", args: ["main.py"], types: "triptych_types.py" },
  { language: "go", program: "go", version: "version", args: ["run", "."], types: "types.go" },
] as const;

const opened = new AsyncDisposableStack();
let installation: Installation;
let folder = "";
let variables: Readonly<Record<string, string>> = {};

before(async () => {
  installation = opened.use(await openInstallation());
  folder = await mkdtemp(join(tmpdir(), "triptych-examples-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const product = await installation.startOnly(["directory", "router", "panel"], { PANEL_EMBEDDED_WORKER: "1" });
  const file = join(installation.folder, "data", "credentials.json");
  const { directory, panel } = JSON.parse(await readFile(file, "utf8"));
  variables = {
    DIRECTORY_URL: product.addressOf("directory"),
    DIRECTORY_KEY: directory.pro_key,
    ROUTER_URL: product.addressOf("router"),
    PANEL_URL: product.addressOf("panel"),
    PANEL_TOKEN: panel.pro.access_token,
  };
});
after(() => opened.disposeAsync());

for (const { language, program, version, args, types } of LANGUAGES) {
  const isMissing = spawnSync(program, [version]).status !== 0;
  const skip = isMissing ? `${program} is not installed: the ${language} example was not tried` : false;

  describe(`the ${language} example`, { skip }, () => {
    let source = "";
    before(async () => {
      source = join(folder, language);
      await cp(join(EXAMPLES, language), source, { recursive: true });
      await generateTypes(language, join(source, types));
    });

    const run = (environment: Readonly<Record<string, string>>) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        const env = { PATH: process.env["PATH"], HOME: homedir(), GOFLAGS: "-mod=mod", GOPROXY: "off", ...environment };
        const options = { cwd: source, env, timeout: 300_000 };
        execFile(program, [...args], options, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
        );
      });

    test("searches the directory, decides a route and lists runs", async () => {
      const { code, stdout, stderr } = await run(variables);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^directory: \d+ items\n {2}\S.* \((actor|place|article), .+\)$/m);
      assert.match(stdout, /^router: tool_call get_weather with confidence [01]\.\d\d$/m);
      assert.match(stdout, /^panel: 2 runs\n {2}slugger: (maintain|explore) run is \w+$/m);
    });

    test("prints the problem of a rejected request and exits with 1", async () => {
      const { code, stderr } = await run({ ...variables, DIRECTORY_KEY: "wrong" });
      assert.equal(code, 1);
      assert.match(stderr, /401 key_invalid: /);
    });

    test("names every missing variable", async () => {
      const { code, stderr } = await run({ DIRECTORY_URL: "http://127.0.0.1:1" });
      // `go run` exits with 1 and prints the code of the program.
      assert.ok(code === 2 || /exit status 2/.test(stderr), stderr);
      assert.match(stderr, /Set DIRECTORY_KEY, ROUTER_URL, PANEL_URL, PANEL_TOKEN\./);
    });
  });
}
