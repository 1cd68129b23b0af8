import assert from "node:assert/strict";
import { test } from "node:test";
import { panelContract, type Endpoint } from "@triptych/contracts";
import { createFixture } from "../support/create-fixture.ts";

type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** All ids of the pro account. */
async function idsOf({ ask, pro }: Fixture): Promise<readonly string[]> {
  const token = pro.access_token;
  const made = async (url: string, body: unknown): Promise<string> => {
    const answer = await ask("POST", url, { token, body });
    assert.ok(answer.statusCode < 300, answer.body);
    return answer.json().id;
  };
  const repo = await made("/api/repos", { url: "https://git.example.org/acme/sum.git" });
  return [
    repo,
    await made(`/api/repos/${repo}/run`, {}),
    await made(`/api/repos/${repo}/explore`, {}),
    await made(`/api/repos/${repo}/memories`, { text: "ours" }),
    await made("/api/account/tokens", { name: "ours", scopes: ["read"] }),
  ];
}

/** Valid bodies, so that only the id can be refused. */
const BODIES: Readonly<Record<string, unknown>> = {
  addMemory: { text: "x" },
  updateWorker: { enabled: false },
  updateRepo: { focus: "x" },
  updateMemory: { pinned: true },
};

/** Each path with each id in each position. */
function* cases(ids: readonly string[]) {
  for (const endpoint of panelContract.endpoints) {
    const parameters = endpoint.path.match(/\{\w+\}/g)?.length ?? 0;
    if (endpoint.auth !== "account" || parameters === 0) continue;
    for (const first of ids)
      for (const second of parameters > 1 ? ids : [""]) yield { endpoint, url: fill(endpoint, [first, second]) };
  }
}

function fill({ path }: Endpoint, values: readonly string[]): string {
  let index = 0;
  return path.replaceAll(/\{\w+\}/g, () => values[index++] ?? "");
}

async function everything(fixture: Fixture): Promise<string> {
  const tables = await Promise.all(
    (["repo", "run", "memory", "api_token"] as const).map((table) =>
      fixture.database.db.selectFrom(table).selectAll().where("owner", "=", fixture.pro.account_id).execute(),
    ),
  );
  return JSON.stringify(tables);
}

test("answers 404 to ids of other accounts on every route, without side effects", async () => {
  await using fixture = await createFixture();
  const ids = await idsOf(fixture);
  const before = await everything(fixture);
  let requests = 0;
  for (const { endpoint, url } of cases(ids)) {
    const body = endpoint.body === undefined ? undefined : (BODIES[endpoint.id] ?? {});
    const answer = await fixture.ask(endpoint.method, url, {
      token: fixture.free.access_token,
      ...(body !== undefined && { body }),
    });
    const about = `${endpoint.method} ${url} -> ${answer.statusCode} ${answer.body.slice(0, 200)}`;
    assert.equal(answer.statusCode, 404, about);
    assert.equal(answer.json().code, "not_found", about);
    requests++;
  }
  for (const filter of ids) {
    const answer = await fixture.ask("GET", `/api/runs?repo_id=${filter}`, { token: fixture.free.access_token });
    assert.equal(answer.statusCode, 404, filter);
  }
  assert.ok(requests >= 50, `${requests} cases`);
  assert.equal(await everything(fixture), before);
});
