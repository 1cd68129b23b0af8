/** Load on a running product, and whether every encrypted value in its stores can still be decrypted. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { createKeyring, createRotatingSeal, DecryptionError } from "@triptych/encryption";
import { ask, keysOf } from "./panel-api.ts";
import type { Installation, Product } from "./product.ts";

interface Value {
  readonly sealed: string;
  readonly about: string;
  readonly purpose: string;
}

/** Encrypted values that none of the secrets decrypts. */
export async function unreadableValues(folder: string, secrets: readonly string[]): Promise<readonly string[]> {
  const [newest = "", ...others] = secrets;
  const keyring = createKeyring(() => [newest, ...others]);
  return [...valuesOfPanel(folder), ...valuesOfRail(folder)].flatMap(({ sealed, about, purpose }) => {
    try {
      createRotatingSeal(keyring, purpose, randomBytes).open(sealed, about);
      return [];
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      return [`${purpose} ${about}: ${sealed.slice(0, 14)}`];
    }
  });
}

function valuesOfPanel(folder: string): readonly Value[] {
  const purpose = "panel seal";
  return rowsOf(join(folder, "panel.db"), {
    license_key: ({ owner, sealed }) => [{ purpose, sealed, about: owner }],
    idempotency: ({ owner, answer }) => (answer === "" ? [] : [{ purpose, sealed: answer, about: owner }]),
    repo: ({ owner, id, sealed_credential: sealed, environment }) => [
      ...(sealed === "" ? [] : [{ purpose, sealed, about: `${owner} ${id}` }]),
      ...variablesIn(environment).map(([name, text]) => ({
        purpose,
        sealed: text,
        about: `${owner} ${id} environment ${name}`,
      })),
    ],
  });
}

function variablesIn(environment: string): readonly (readonly [string, string])[] {
  const parsed: Record<string, { value: string; sealed: boolean }> = JSON.parse(environment);
  return Object.entries(parsed).flatMap(([name, { value, sealed }]) => (sealed ? [[name, value] as const] : []));
}

function valuesOfRail(folder: string): readonly Value[] {
  return rowsOf(join(folder, "rail.db"), {
    signing_key: ({ kid, sealed }) => [{ purpose: "signing keys", sealed, about: kid }],
    installation: ({ names_sealed: sealed }) => [{ purpose: "names secret", sealed, about: "names" }],
    wallet_owner: ({ wallet_id: about, email_sealed: email }) =>
      email === "" ? [] : [{ purpose: "data keys of e-mail addresses", sealed: email.split(" ")[0] ?? "", about }],
  });
}

type Texts = Readonly<Record<string, string>>;

function rowsOf(file: string, tables: Readonly<Record<string, (row: Texts) => readonly Value[]>>): readonly Value[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.entries(tables).flatMap(([table, read]) =>
      database
        .prepare(`select * from ${table}`)
        .all()
        .flatMap((row) => read(textsOf(row))),
    );
  } finally {
    database.close();
  }
}

function textsOf(row: Readonly<Record<string, unknown>>): Texts {
  const text = (value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === "string" ? value : "";
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]));
}

export interface Load {
  /** Waits until so many calls were answered. */
  until(calls: number): Promise<void>;
  /** Calls that were refused or failed, except by the limits of the demo accounts. */
  failures(): readonly string[];
  stop(): Promise<{ readonly decisions: number; readonly repos: number; readonly runs: number }>;
  /** Repeats every creation of a repo; returns how many were answered from storage. */
  replays(product: Product): Promise<number>;
}

/** Creates as many as the plan allows, then changes their variables. */
const REPOS_MAX = 40;

/** Paid decisions, repos with a credential and an encrypted variable, and runs, one after the other. */
export async function startLoad(installation: Installation, product: Product): Promise<Load> {
  const { token: wallet } = await installation.demoWallet();
  const { access_token: token } = await keysOf(installation.folder);
  const [counts, failures, ids] = [{ decisions: 0, repos: 0, runs: 0 }, new Array<string>(), new Array<string>()];
  const stopping = new AbortController();
  const change = (at: Product, path: string, body: unknown, key?: string) =>
    ask(`${at.addressOf("panel")}/api/${path}`, {
      token,
      method: path.startsWith("repos/rep_") && key === undefined ? "PATCH" : "POST",
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
      body,
    });
  const note = (what: keyof typeof counts, { status, text }: { readonly status: number; readonly text: string }) => {
    if (status < 300) counts[what]++;
    // The starter credit, or a limit of requests, is used up; the panel has found that the forge does not exist; or the
    // machine is too busy for the rail to answer the gateway in time, and nothing was charged.
    else if (status !== 402 && status !== 429 && !/"code":"(repo_unreachable|rail_unavailable)"/.test(text))
      failures.push(`${what}: ${status} ${text.slice(0, 300)}`);
  };
  const create = (at: Product, index: number) =>
    change(
      at,
      "repos",
      {
        url: `https://forge.example.test/team/repo-${index}.git`,
        credential: { kind: "token", token: `token-of-the-forge-${index}` },
        environment: { HIDDEN: { value: `hidden-${index}`, sealed: true } },
      },
      `repo-number-${index}`,
    );
  const loop = async () => {
    for (let index = 0; !stopping.signal.aborted; index++) {
      note(
        "decisions",
        await ask(`${product.addressOf("gateway")}/v1/route`, {
          method: "POST",
          headers: { "X-Rail-Wallet": wallet, "Idempotency-Key": `decision-${index}` },
          body: { state: `What is the weather in Paris in ${index} days?` },
        }),
      );
      if (index < REPOS_MAX) {
        const created = await create(product, index);
        note("repos", created);
        const id = String(created.body.id);
        ids.push(id);
        note("runs", await change(product, `repos/${id}/run`, { focus: "Repair the sum." }, `run-number-${index}`));
      } else {
        const environment = { HIDDEN: { value: `hidden again ${index}`, sealed: true } };
        const changed = await change(product, `repos/${ids[index % ids.length]}`, { environment });
        if (changed.status >= 300) note("repos", changed);
      }
    }
  };
  const running = loop();
  const sum = () => counts.decisions + counts.repos + counts.runs;
  return {
    async until(calls) {
      while (sum() < calls && failures.length === 0) await Promise.race([running, pause(50)]);
    },
    failures: () => failures,
    async stop() {
      stopping.abort();
      await running;
      return counts;
    },
    async replays(again) {
      let replayed = 0;
      for (let index = 0; index < counts.repos; index++) {
        const { headers } = await create(again, index);
        if (headers.get("idempotency-replayed") === "true") replayed++;
      }
      return replayed;
    },
  };
}
