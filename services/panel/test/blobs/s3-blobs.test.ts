/** Blobs in S3-compatible storage, against a scripted server. `npm run e2e:s3` uses an emulator. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { classifyStorageError } from "@triptych/storage";
import { parseBlobUrl } from "../../src/blobs/blob-url.ts";
import { blobIssues } from "../../src/blobs/configured-blobs.ts";
import { s3Blobs } from "../../src/blobs/s3-blobs.ts";

const CONTENT = "a bundle of a run";
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");
const EMPTY = "<ListBucketResult></ListBucketResult>";
const SECRET = "secret-access-key-of-the-tests";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe("blobs in S3-compatible storage", () => {
  test("are signed, verified by the storage and read back", async () => {
    await using storage = await startStorage();
    const blobs = await storage.open();
    storage.answers.push((_request, response) => response.end());
    await blobs.keep(await storage.fileOf(CONTENT), SHA256);
    const put = storage.requests.at(-1);
    assert.deepEqual([put?.method, put?.url, put?.body], ["PUT", `/bucket/some/prefix/${SHA256}`, CONTENT]);
    assert.equal(put?.headers["x-amz-content-sha256"], SHA256);
    assert.equal(put.headers["content-length"], String(CONTENT.length));
    assert.match(String(put.headers.authorization), /^AWS4-HMAC-SHA256 Credential=access-key\/\d{8}\/eu-west-3\/s3/);
    assert.deepEqual(await readdir(storage.folder), []);

    const serve: Answer = (_request, response) => response.end(CONTENT);
    storage.answers.push(serve, serve);
    const stream = await blobs.read(SHA256);
    assert.equal(stream && (await text(stream)), CONTENT);
    assert.equal(await blobs.withFile(SHA256, (path) => readFile(path, "utf8")), CONTENT);
  });

  test("are null if they are missing, and an error if their content is damaged", async () => {
    await using storage = await startStorage();
    const blobs = await storage.open();
    storage.answers.push(statusOf(404, "NoSuchKey"), statusOf(404, "NoSuchKey"));
    assert.equal(await blobs.read(SHA256), null);
    assert.equal(await blobs.withFile(SHA256, () => assert.fail("there is no file")), null);
    storage.answers.push((_request, response) => response.end("other bytes"));
    await assert.rejects(
      blobs.withFile(SHA256, () => assert.fail("not for damaged bytes")),
      /damaged object/,
    );
  });

  test("are retried a limited number of times", async () => {
    await using storage = await startStorage();
    const blobs = await storage.open();
    storage.answers.push(statusOf(503, "SlowDown"), statusOf(500, "InternalError"), (_request, response) =>
      response.end(),
    );
    await blobs.keep(await storage.fileOf(CONTENT), SHA256);
    assert.equal(storage.requests.length, 4);
    for (let attempt = 0; attempt < 4; attempt++) storage.answers.push(statusOf(503, "SlowDown"));
    await assert.rejects(blobs.read(SHA256), /responds with 503, after 4 attempts/);
    assert.equal(storage.requests.length, 8);
  });

  test("report what is wrong at startup and at use, as an unavailable store and without a secret", async () => {
    await using storage = await startStorage();
    const cases: readonly (readonly [Answer, RegExp])[] = [
      [
        statusOf(403, "SignatureDoesNotMatch"),
        /refuses access to the bucket bucket \(403( SignatureDoesNotMatch)?\)\. Check AWS_/,
      ],
      [statusOf(404, "NoSuchBucket"), /has no bucket named bucket/],
      [statusOf(301, "PermanentRedirect"), /is in another region/],
      [statusOf(400, "InvalidRequest"), /refuses a request \(400( InvalidRequest)?\)/],
    ];
    for (const [answer, message] of cases) {
      storage.answers.unshift(answer);
      await assertUnavailable(storage.open(), message);
    }
    const blobs = await storage.open();
    for (const [answer, message] of cases.slice(0, 2)) {
      storage.answers.push(answer);
      await assertUnavailable(blobs.keep(await storage.fileOf(CONTENT), SHA256), message);
    }
    const impatient = await storage.open({ timeoutMs: 100 });
    storage.beSilent();
    await assertUnavailable(impatient.read(SHA256), /does not respond in time, after 4 attempts/);
    await storage.close();
    await assertUnavailable(storage.open(), /cannot be reached \(ECONNREFUSED\), after 4 attempts/);
  });

  test("are deleted once old and unused, over all pages, unless they were stored again", async () => {
    await using storage = await startStorage();
    const blobs = await storage.open();
    const [old, needed, renewed] = ["a", "b", "c"].map((letter) => letter.repeat(64));
    const entry = (name: string, at: string) =>
      `<Contents><Key>some/prefix/${name}</Key><LastModified>${at}</LastModified></Contents>`;
    const ago = "2026-01-01T00:00:00.000Z";
    storage.answers.push(
      (_request, response) =>
        response.end(
          `${entry(old, ago)}${entry(needed, ago)}${entry("foreign.txt", ago)}<NextContinuationToken>t=1&amp;2</NextContinuationToken>`,
        ),
      headOf(ago),
      (_request, response) => response.writeHead(204).end(),
      (_request, response) => response.end(entry(renewed, ago)),
      headOf("2026-03-01T00:00:00.000Z"),
    );
    const swept = await blobs.sweep(Date.parse("2026-02-01"), async (name) => name === needed);
    assert.equal(swept, 1);
    const deleted = storage.requests.filter(({ method }) => method === "DELETE").map(({ url }) => url);
    assert.deepEqual(deleted, [`/bucket/some/prefix/${old}`]);
    assert.ok(storage.requests.some(({ url }) => url?.includes("continuation-token=t%3D1%262")));
  });
});

test("the storage address is validated, and all invalid settings are reported at once", () => {
  assert.deepEqual(parseBlobUrl("s3://bucket/a/b/?region=eu-west-3"), {
    bucket: "bucket",
    prefix: "a/b",
    region: "eu-west-3",
    endpoint: "https://s3.eu-west-3.amazonaws.com",
  });
  const bad = ["bucket", "https://bucket", "s3://B_", "s3://key:hunter2@bucket", "s3://bucket/ä", "s3://bucket?x=1"];
  for (const url of [...bad, "s3://bucket?endpoint=ftp://host", "s3://bucket?endpoint=http://u:hunter2@host"]) {
    const location = parseBlobUrl(url);
    assert.ok("issue" in location && !location.issue.includes("hunter2"), url);
  }
  const issues = blobIssues({ BLOB_URL: "s3://x:y@z", PANEL_BLOB_DIR: "/blobs", AWS_ACCESS_KEY_ID: "" });
  assert.deepEqual(
    issues.map((issue) => issue.split(":")[0]),
    ["BLOB_URL", "PANEL_BLOB_DIR", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  );
});

async function assertUnavailable(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, message);
    assert.ok(!error.message.includes(SECRET) && !error.message.includes("Signature="));
    assert.equal(classifyStorageError(error), "down");
    return true;
  });
}

function statusOf(status: number, code: string): Answer {
  return (_request, response) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
}

function headOf(at: string): Answer {
  return (_request, response) => response.writeHead(200, { "Last-Modified": new Date(at).toUTCString() }).end();
}

interface Received extends Pick<IncomingMessage, "method" | "url" | "headers"> {
  readonly body: string;
}

/** Answers in order; a list of the bucket when none is left. */
async function startStorage() {
  const folder = await mkdtemp(join(tmpdir(), "s3-blobs-"));
  const requests: Received[] = [];
  const state = { answers: new Array<Answer>(), isSilent: false };
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: await text(request) });
    if (!state.isSilent) (state.answers.shift() ?? ((_request, empty) => empty.end(EMPTY)))(request, response);
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const location = parseBlobUrl(`s3://bucket/some/prefix?endpoint=http://127.0.0.1:${port}&region=eu-west-3`);
  if ("issue" in location) throw new Error(location.issue);
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), "close");
  };
  return {
    answers: state.answers,
    beSilent: () => void (state.isSilent = true),
    folder,
    requests,
    close,
    open: ({ timeoutMs = 10_000 } = {}) =>
      s3Blobs({ location, accessKeyId: "access-key", secretAccessKey: SECRET, timeoutMs, retryMs: 1 }),
    async fileOf(content: string) {
      const path = join(folder, "upload");
      await writeFile(path, content);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
