import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { bodyOf, decidedText, messagesOf, type Form } from "../playground/src/request.ts";
import { snippetOf, type SnippetRequest } from "../playground/src/snippets.ts";
import { ENGLISH, FRENCH } from "../playground/src/texts.ts";

const URL = "http://127.0.0.1:7003/v1/route";
const WALLET = { header: "X-Rail-Wallet", scheme: "", variable: "WALLET_TOKEN" } as const;
const ROUTER = { header: "Authorization", scheme: "Bearer ", variable: "ROUTER_TOKEN" } as const;
const HOSTILE = [
  `it's "quoted" \\ $HOME \`id\` $(id) !! %s`,
  "line\nbreak\r\n\ttab \u0000 \u2028 \u2029 \u{1f600} \ud800",
  "'; rm -rf / #",
  "'''\"\"\"",
  "${process.env}",
  "@file",
  "",
];

const bodies: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    state: fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 40 })),
    options: fc.dictionary(
      fc.oneof(fc.constantFrom("__proto__", "constructor", "10", ...HOSTILE), fc.string({ maxLength: 8 })),
      fc.oneof(fc.constant(null), fc.constantFrom(...HOSTILE)),
      { maxKeys: 4 },
    ),
    messages: fc.array(fc.record({ role: fc.constant("user"), content: fc.constantFrom(...HOSTILE) }), {
      maxLength: 2,
    }),
    min_conf: fc.double({ min: 0, max: 1, noNaN: true }),
    explain: fc.boolean(),
  },
  { requiredKeys: ["state"] },
);

/** What a server receives: JSON is how requests travel. */
const sent = (body: unknown) => JSON.stringify(body);

interface Sent {
  readonly url: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function runJavascript(program: string): Promise<Sent> {
  const requests: Sent[] = [];
  const fetching = (url: unknown, init: Omit<Sent, "url">) => {
    requests.push({ ...init, url });
    return Promise.resolve({ ok: true, json: () => Promise.resolve({}) });
  };
  const AsyncFunction = (async () => {}).constructor as new (
    ...words: readonly string[]
  ) => (...values: readonly unknown[]) => Promise<void>;
  const env = { WALLET_TOKEN: "secret", ROUTER_TOKEN: "secret" };
  await new AsyncFunction("fetch", "process", "console", program)(fetching, { env }, { log() {} });
  const [request] = requests;
  assert.ok(request !== undefined && requests.length === 1);
  return request;
}

/** The arguments that a shell passes to curl, for each of the commands. */
function runShell(commands: readonly string[]): readonly (readonly string[])[] {
  const curl = `curl() { printf '%s\\0' "$@"; printf '\\0'; }\n`;
  const { stdout, status, stderr } = spawnSync("sh", ["-s"], {
    input: `WALLET_TOKEN=secret\n${curl}${commands.join("\n")}\n`,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const calls = stdout.split("\0\0").slice(0, -1);
  return calls.map((call) => call.split("\0"));
}

const PYTHON_CHECK = `
import io, json, os, sys, urllib.request
os.environ["WALLET_TOKEN"] = "secret"
sent = []
def urlopen(request):
    sent.append([request.full_url, dict(request.header_items()), json.loads(request.data)])
    return io.BytesIO(b"{}")
urllib.request.urlopen = urlopen
out, sys.stdout = sys.stdout, io.StringIO()
for program in json.load(sys.stdin):
    exec(program, {})
json.dump(sent, out)
`;
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("a request to copy", () => {
  const requestOf = (body: SnippetRequest["body"]): SnippetRequest => ({ url: URL, body, credential: WALLET });

  test("as JavaScript sends exactly the body, with the credential from the environment", async () => {
    const property = fc.asyncProperty(bodies, async (body) => {
      const { url, headers, body: text } = await runJavascript(snippetOf("JavaScript", requestOf(body)));
      assert.deepEqual([url, headers["X-Rail-Wallet"], text], [URL, "secret", sent(body)]);
    });
    await fc.assert(property, { numRuns: 200 });
    const { headers } = await runJavascript(
      snippetOf("JavaScript", { url: URL, body: { state: "x" }, credential: ROUTER }),
    );
    assert.equal(headers["Authorization"], "Bearer secret");
  });

  test("as curl is one call whose body is exactly the body, whatever the shell would expand", () => {
    const samples = fc.sample(bodies, { numRuns: 200, seed: 1 });
    const calls = runShell(samples.map((body) => snippetOf("curl", requestOf(body))));
    assert.equal(calls.length, samples.length);
    for (const [index, args] of calls.entries()) {
      const [url, first, credential, second, type, data, text, ...rest] = args;
      assert.deepEqual(
        [url, first, credential, second, type, data, rest],
        [URL, "-H", "X-Rail-Wallet: secret", "-H", "Content-Type: application/json", "-d", []],
      );
      assert.equal(sent(JSON.parse(text ?? "")), sent(samples[index]));
    }
  });

  test("as Python sends exactly the body, with the credential from the environment", { skip: !hasPython }, () => {
    const samples = fc.sample(bodies, { numRuns: 100, seed: 1 });
    const programs = samples.map((body) => snippetOf("Python", requestOf(body)));
    const { stdout, stderr, status } = spawnSync("python3", ["-c", PYTHON_CHECK], {
      input: JSON.stringify(programs),
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    const requests: readonly [string, Readonly<Record<string, string>>, unknown][] = JSON.parse(stdout);
    assert.equal(requests.length, samples.length);
    for (const [index, [url, headers, body]] of requests.entries()) {
      assert.deepEqual([url, headers["X-rail-wallet"]], [URL, "secret"]);
      assert.deepEqual(body, JSON.parse(sent(samples[index])));
    }
  });

  test("without a credential names none", () => {
    for (const language of ["curl", "JavaScript", "Python"] as const)
      assert.doesNotMatch(
        snippetOf(language, { url: URL, body: { state: "x" }, credential: null }),
        /TOKEN|environ|process|X-Rail|undefined|null/,
      );
  });
});

const FORM: Form = {
  operation: "route",
  text: "user: hello\nassistant: hi\nuser: will it\nrain",
  asMessages: true,
  decider: "options",
  otherDecider: "helpdesk",
  options: "sun: weather: rain\n\n cash \n",
  minConf: "0.5",
  maxError: "",
};

test("the form becomes the body of the first expert; a line without a role continues its message", () => {
  assert.deepEqual(bodyOf(FORM), {
    messages: [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
      { role: "user", content: "will it\nrain" },
    ],
    options: { sun: "weather: rain", cash: null },
    min_conf: 0.5,
  });
  assert.deepEqual(bodyOf({ ...FORM, operation: "noul", asMessages: false }), { state: FORM.text });
  assert.deepEqual(bodyOf({ ...FORM, asMessages: false, decider: "helpdesk", minConf: "" }), {
    state: FORM.text,
    expert: "helpdesk",
  });
  assert.equal(decidedText(FORM), "will it\nrain");
  assert.deepEqual(messagesOf("\nno role"), [{ role: "user", content: "no role" }]);
});

test("every text of the playground is used, and its placeholders are the same in French", () => {
  const folder = join(import.meta.dirname, "../playground/src");
  const used = globSync("*.tsx", { cwd: folder }).map((name) => readFileSync(join(folder, name), "utf8"));
  const placeholders = (text: (typeof FRENCH)[keyof typeof FRENCH]) =>
    [...(typeof text === "string" ? text : text.other).matchAll(/\{\w+\}/g)].map(String).toSorted();
  for (const [key, text] of Object.entries(ENGLISH)) {
    // Keys made from a value: `op_${name}`.
    const isMade = /^(op|action)_/.test(key);
    assert.ok(isMade || used.some((source) => source.includes(`"${key}"`)), key);
    assert.deepEqual(placeholders(FRENCH[key as keyof typeof FRENCH]), placeholders(text), key);
  }
});
