/** Rotation of the installation's secret, on the store of a panel. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keyIdOf } from "@triptych/encryption";
import { rotateStore, sealedValues } from "../../src/commands/rotate-secret.ts";
import { openEnvironment, aboutVariable } from "../../src/domain/repo-environment.ts";
import { createStatementKeys } from "../../src/domain/statement-keys.ts";
import { createFixture } from "../support/create-fixture.ts";

const [OLD, NEW] = ["the first secret of this installation", "the second secret of this installation"];

test("encrypts license keys, credentials, variables, signing keys and responses again beside a running panel", async () => {
  const folder = await mkdtemp(join(tmpdir(), "panel-rotation-"));
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const location = { dataFolder: folder, databaseUrl: undefined };
  const secrets = { list: [OLD] as [string, ...string[]] };
  const read = () => secrets.list;
  await using fixture = await createFixture({ url: `sqlite:${join(folder, "panel.db")}`, secret: read });
  const { access_token: token, account_id: owner } = fixture.pro;
  const environment = { PLAIN: "seen", HIDDEN: { value: "hidden value", sealed: true } };
  const credential = { kind: "token", token: "a-token-of-the-forge" };
  const create = () =>
    fixture.ask("POST", "/api/repos", {
      token,
      body: { url: "https://forge.example.test/a/b.git", credential, environment },
      headers: { "idempotency-key": "one-key-of-the-tests" },
    });
  const created = await create();
  assert.equal(created.statusCode, 201, created.body);
  const { kid } = await fixture.panel.statementKeys.signer();

  secrets.list = [NEW, OLD];
  const resealed = await rotateStore(location, read);
  assert.deepEqual(resealed, { changed: 6, failed: 0 });
  for (const { kind, total, byKey } of await sealedValues(location, read)) {
    assert.ok(total > 0, kind);
    assert.equal(byKey[keyIdOf(NEW)], total, kind);
  }
  assert.deepEqual(await rotateStore(location, read), { changed: 0, failed: 0 });

  secrets.list = [NEW];
  assert.equal((await create()).headers["idempotency-replayed"], "true");
  const reopened = createStatementKeys({ ...fixture.panel, repository: fixture.store.signingKeys });
  assert.equal((await reopened.signer()).kid, kid);
  const key = await fixture.ask("GET", "/api/account/license", { token });
  assert.ok(key.statusCode === 200, key.body);
  const repo = await fixture.store.of(owner).repos.find(created.json().id);
  assert.ok(repo?.sealedCredential);
  const about = `${owner} ${repo.id}`;
  assert.equal(fixture.panel.seal.open(repo.sealedCredential, about).toString(), JSON.stringify(credential));
  const open = (value: string, name: string) =>
    fixture.panel.seal.open(value, aboutVariable(owner, repo.id, name)).toString();
  assert.deepEqual(
    openEnvironment(repo.environment, open).map(({ name, value }) => [name, value]),
    [
      ["HIDDEN", "hidden value"],
      ["PLAIN", "seen"],
    ],
  );
});
