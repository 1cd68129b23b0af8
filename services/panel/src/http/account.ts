import { LICENSE_BODY_BYTES, type Account } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import { Problem, type RequestHandler, type ValidatingHandler } from "@triptych/server";
import { readRotateLicenseInput } from "../domain/license-request.ts";
import { mintLicenseKey } from "../domain/license-key.ts";
import type { Panel } from "../domain/panel.ts";
import { dayOf, monthOf, PLAN_TERMS } from "../domain/plans.ts";
import type { AccountRecord, TokenRecord } from "../domain/records.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { mayRead, permit, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors } from "./transactional.ts";
import { pageOf, readPage } from "./cursors.ts";
import { timeOf, timeOrNull, tokenShape } from "./response-mappers.ts";

const mayAdminister = (caller: Caller) => permit(caller, "admin", { changes: true });

export async function accountShape(panel: Panel, account: AccountRecord): Promise<Account> {
  const { runs, repos, license, workers, usage } = panel.store.of(account.id);
  const [now, terms] = [panel.now(), PLAN_TERMS[account.plan]];
  const [month, { generation, rotatedAt }] = [monthOf(now), await license.read()];
  const used = await usage.since(month.start);
  return {
    id: account.id,
    email: account.email,
    created_at: timeOf(account.createdAt),
    status: account.status,
    plan: {
      id: account.plan,
      features: { explore: terms.explore, parallel_runs: terms.runsAtOnce },
      limits: {
        repos: terms.repos,
        runs_per_month: terms.runsPerMonth,
        explores_per_day: terms.exploresPerDay,
        workers: terms.workers,
        memories_per_repo: terms.memoriesPerRepo,
        retention_days: terms.retentionDays,
      },
    },
    usage: {
      period_start: timeOf(month.start),
      period_end: timeOf(month.end),
      runs: await runs.countSince("maintain", month.start),
      explores_today: await runs.countSince("explore", dayOf(now).start),
      repos: await repos.count(),
      agent_seconds: Math.round(used.agentMs / 1000),
      cost_micro: used.costMicro,
      input_tokens: used.inputTokens,
      output_tokens: used.outputTokens,
    },
    license: { generation, rotated_at: timeOrNull(rotatedAt), workers_connected: await workers.countConnected() },
  };
}

export function getAccountHandler(panel: Panel): RequestHandler<typeof contract.getAccount, Caller> {
  return ({ caller }) =>
    mapDomainErrors(panel, () => {
      mayRead(caller);
      return accountShape(panel, caller.account);
    });
}

/** This path ignores unknown parameters by contract. */
export function getLicenseHandler(panel: Panel): ValidatingHandler<typeof contract.getLicense, Caller> {
  return {
    handle: ({ caller }) =>
      mapDomainErrors(panel, async () => {
        permit(caller, "admin", { changes: false });
        const { sealed } = await panel.store.of(caller.account.id).license.read();
        return { license_key: panel.seal.open(sealed, caller.account.id).toString() };
      }),
  };
}

/** Order: commit the new key, broadcast, respond. From the commit on the old key is invalid, whatever the broadcast does. */
export function rotateLicenseHandler(panel: Panel): ValidatingHandler<typeof contract.rotateLicense, Caller> {
  return {
    async handle({ caller, body, request }) {
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      if (bytes.length > LICENSE_BODY_BYTES) throw new Problem("too_large");
      const input = readRotateLicenseInput({ queryValues: queryValues(request.url), body: bytes });
      if (input.kind === "invalid_json") throw new Problem("invalid_json", { detail: input.detail });
      const [owner, licenseKey, rotatedAt] = [caller.account.id, mintLicenseKey(panel.random), panel.now()];
      const generation = await mapDomainErrors(panel, () =>
        panel.store.change(owner, async ({ license, account }) => {
          mayAdminister(caller);
          const next = (await license.read()).generation + 1;
          const sealed = panel.seal.seal(licenseKey, owner);
          await license.replace({ hash: panel.secrets.hash(licenseKey), sealed, generation: next, rotatedAt });
          await account.note({ id: panel.newId("aud"), what: "license_rotated", at: rotatedAt });
          return next;
        }),
      );
      const rotation = { owner, licenseKey, generation, rotatedAt };
      // A failed broadcast must not fail the rotation: respond that no worker was notified.
      const notified = input.notifyWorkers ? await panel.workers.notifyRotation(rotation).catch(() => 0) : 0;
      return { license_key: licenseKey, notified_workers: notified > 0, notified_workers_count: notified };
    },
  };
}

/** The raw values: neither trimmed nor split at commas. */
function queryValues(url: string): readonly string[] {
  const at = url.indexOf("?");
  return at < 0 ? [] : new URLSearchParams(url.slice(at + 1)).getAll("notify_workers");
}

export function listTokensHandler(panel: Panel): ValidatingHandler<typeof contract.listTokens, Caller> {
  return {
    handle({ caller, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, async () => {
        permit(caller, "admin", { changes: false });
        const { records, next_cursor } = pageOf(await panel.store.of(caller.account.id).tokens.list(page), page);
        return { items: records.map(tokenShape), next_cursor };
      });
    },
  };
}

const DAY_MS = 86_400_000;

export function createTokenHandler(panel: Panel): RequestHandler<typeof contract.createToken, Caller> {
  return (context) =>
    inTransaction(
      panel,
      context,
      async ({ tokens, account }) => {
        const { caller, body } = context;
        mayAdminister(caller);
        const [secret, at, days] = [panel.secrets.mintAccessToken(), panel.now(), body.expires_in_days];
        const expiresAt = days === undefined ? null : at + days * DAY_MS;
        const { name, scopes } = body;
        const token: TokenRecord = {
          id: panel.newId("tok"),
          hash: panel.secrets.hash(secret),
          name,
          scopes,
          createdAt: at,
          expiresAt,
        };
        await tokens.add(token);
        await account.note({ id: panel.newId("aud"), what: "token_created", at });
        return { status: 201, body: { ...tokenShape(token), token: secret } };
      },
      mayAdminister,
    );
}

export function deleteTokenHandler(panel: Panel): RequestHandler<typeof contract.deleteToken, Caller> {
  return (context) =>
    inTransaction(panel, context, async ({ tokens, account }) => {
      const { caller, params } = context;
      orNotFound(await tokens.find(params.id), "token");
      mayAdminister(caller);
      await tokens.remove(params.id);
      await account.note({ id: panel.newId("aud"), what: "token_removed", at: panel.now() });
      return { status: 204 };
    });
}
