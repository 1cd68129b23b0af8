/** Neither a DNS change nor a redirect sends git or a credential to an unchecked address. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startForge } from "@triptych/fake-forge";
import { openForgeWith } from "../../src/forges/open-forge.ts";
import { ForgeError } from "../../src/forges/forge.ts";
import { publicAddresses, Unreachable } from "../../src/git/addresses.ts";
import { createRemotes, type RemoteRepo } from "../../src/git/remote.ts";
import { FORGE_TOKEN, git } from "../support/delivery-fixture.ts";

/** A name that never resolves. */
const NAME = "forge.invalid";

/** Git's well-known empty tree. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "addresses-"));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

function reaching(folder: string, url: string, timeoutMs = 5_000) {
  const lookups: string[] = [];
  const resolve = async (host: string) => {
    lookups.push(host);
    return "127.0.0.1";
  };
  const credential = { kind: "token", token: FORGE_TOKEN } as const;
  const repo: RemoteRepo = { owner: "acc_1", id: "rep_1", url, provider: "github", credential };
  const remotes = createRemotes({ resolve, knownHosts: join(folder, "known"), passing: join(folder, "passing") });
  const open = openForgeWith({ resolve, timeoutMs, onAnswer: () => {} });
  return {
    lookups,
    listed: () => remotes.reach(repo, "/nonexistent", (remote) => remote.list(["HEAD"])),
    pulls: () => open(repo)?.findPrsByHead("maint/run_1"),
  };
}

test("connects git and the API to the checked address, resolved once each", async () => {
  using temporary = scratch();
  await using forge = await startForge({ folder: join(temporary.folder, "forge"), token: FORGE_TOKEN });
  const bare = join(temporary.folder, "forge", "acme", "sum.git");
  await git(bare, "update-ref", "refs/heads/main", await git(bare, "commit-tree", "-m", "First", EMPTY_TREE));
  const { lookups, listed, pulls } = reaching(temporary.folder, `${forge.url.replace("127.0.0.1", NAME)}/acme/sum.git`);
  assert.equal((await listed()).defaultBranch, "main");
  assert.deepEqual(await pulls(), []);
  assert.deepEqual(lookups, [NAME, NAME]);
});

test("follows no redirect and sends no credential to its target", async () => {
  using temporary = scratch();
  const received: string[] = [];
  const other = createServer((request, response) => {
    received.push(request.url ?? "");
    response.end();
  }).listen(0, "127.0.0.1");
  const sender = createServer(({ url }, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${portOf(other)}${url}` }).end();
  }).listen(0, "127.0.0.1");
  await Promise.all([once(other, "listening"), once(sender, "listening")]);
  const { listed, pulls } = reaching(temporary.folder, `http://${NAME}:${portOf(sender)}/acme/sum.git`);
  await assert.rejects(listed(), Unreachable);
  await assert.rejects(async () => pulls(), ForgeError);
  assert.deepEqual(received, []);
  for (const server of [other, sender]) server.close();
});

test("bounds the size and the time of a response, and closes the connection", async () => {
  using temporary = scratch();
  const megabyte = "x".repeat(1024 * 1024);
  const large = createServer((_request, response) => {
    for (let sent = 0; sent < 5; sent++) response.write(megabyte);
    response.end();
  }).listen(0, "127.0.0.1");
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await Promise.all([once(large, "listening"), once(silent, "listening")]);
  for (const [server, timeoutMs, reason] of [
    [large, 60_000, /size/i],
    [silent, 100, /timeout/i],
  ] as const) {
    const closed = new Promise((resolve) => server.once("connection", (socket) => socket.once("close", resolve)));
    const { pulls } = reaching(temporary.folder, `http://${NAME}:${portOf(server)}/acme/sum.git`, timeoutMs);
    await assert.rejects(async () => pulls(), reason);
    await closed;
    server.close();
  }
});

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("rejects a host with any private address, or without an address", async () => {
  const resolverOf = (...addresses: readonly string[]) =>
    publicAddresses(async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  assert.equal(await resolverOf("140.82.121.3", "140.82.121.4")("github.com"), "140.82.121.3");
  assert.equal(await resolverOf("2606:4700::1111")("v6.example.org"), "[2606:4700::1111]");
  for (const addresses of [["140.82.121.3", "10.0.0.1"], ["::1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], []])
    await assert.rejects(resolverOf(...addresses)("rebound.example.org"), Unreachable, addresses.join());
});
