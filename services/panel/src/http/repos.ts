import type * as contract from "@triptych/contracts";
import { RUN_KINDS, type CredentialSent } from "@triptych/contracts";
import { validationFailed, type RequestHandler, type ValidatingHandler } from "@triptych/server";
import { firstContact, stillDetected } from "../domain/reachability-checks.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { planAllowing, PLAN_TERMS } from "../domain/plans.ts";
import type { AccountRecord, RepoRecord } from "../domain/records.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import { hasQuery, isPrivateHost, readAddress, type RepoAddress } from "../domain/repo-address.ts";
import { DEFAULT_SETTINGS, patchSettings } from "../domain/repo-settings.ts";
import { aboutVariable, patchEnvironment } from "../domain/repo-environment.ts";
import { restartCheck, isOpen, newCheck } from "../domain/repo-checks.ts";
import { cancelRun } from "../domain/cancel-run.ts";
import { refuseByPolicy } from "../domain/ai-policy.ts";
import { planSchedules } from "../domain/schedules.ts";
import { checkAppKey, refuseAppElsewhere } from "./app-credential.ts";
import { changedPolicy } from "./ai-policy.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors } from "./transactional.ts";
import { pageOf, readPage } from "./cursors.ts";
import {
  checkEnvironment,
  refuseManyVariables,
  checkGlobs,
  checkPlainTexts,
  checkSecrets,
  validateSchedule,
  refuseEmptySchedule,
  validateTeam,
} from "./body-checks.ts";
import { connectedCapacity, etag, MONTH_MS, refuseWeakIsolation, withStats } from "./repo-responses.ts";
import { repoShape } from "./response-mappers.ts";

const NO_ADDRESS = "`url` must be a public http(s), ssh or host:path address of a repository.";
const NO_QUERY =
  "`url` must end with the path of the repository, without `?` or `#`. Put a token into `credential`, where it is encrypted.";

export function listReposHandler(panel: Panel): ValidatingHandler<typeof contract.listRepos, Caller> {
  return {
    async handle({ caller, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      const { repos } = panel.store.of(caller.account.id);
      return mapDomainErrors(panel, async () => {
        mayRead(caller);
        const { records, next_cursor } = pageOf(await repos.list(query, page), page);
        const stats = await repos.stats(
          records.map(({ id }) => id),
          panel.now() - MONTH_MS,
        );
        const now = panel.now();
        const connected = await connectedCapacity(panel, caller);
        return {
          items: records.map((repo) => repoShape(repo, { now, connected, stats: stats.get(repo.id) })),
          next_cursor,
        };
      });
    },
  };
}

export function createRepoHandler(panel: Panel): ValidatingHandler<typeof contract.createRepo, Caller> {
  return {
    async handle(context, errors) {
      const { body, caller } = context;
      const sent = typeof body?.url === "string" ? body.url : null;
      const address = sent === null || hasQuery(sent) ? null : readAddress(sent);
      const isPrivate = address?.host != null && isPrivateHost(address.host) && !panel.allows.privateHosts;
      if (sent !== null && (address === null || isPrivate))
        errors.add({ path: "/url", reason: "wrong_form", message: hasQuery(sent) ? NO_QUERY : NO_ADDRESS });
      validateTeam(body, errors);
      validateSchedule(body, errors, { isNew: true });
      checkGlobs(body, errors);
      checkEnvironment(body, errors);
      checkSecrets(body, errors);
      checkAppKey(body, errors);
      checkPlainTexts(body, errors);
      errors.refuse();
      if (address === null) throw validationFailed(errors.list());
      const connected = await connectedCapacity(panel, caller);
      return inTransaction(panel, context, async (repositories) => {
        mayWrite(caller);
        refuseWeakIsolation(panel, body.isolation);
        await refuseNewRepo(panel, repositories, { account: caller.account, address });
        const repo = newRepo(panel, caller.account.id, { address, body });
        refuseAppElsewhere(repo);
        await repositories.repos.add(repo);
        await repositories.contacts.save(
          firstContact(repo.id, repo.createdAt, {
            detectsVerify: body.verify_cmd === undefined,
            detectsSetup: body.verify?.setup_cmd === undefined,
          }),
        );
        const now = repo.createdAt;
        await planSchedules(repositories, { before: null, after: repo, now });
        return {
          status: 201,
          body: repoShape(repo, { now, connected }),
          headers: { Location: `/api/repos/${repo.id}`, ETag: etag(repo) },
        };
      });
    },
  };
}

async function refuseNewRepo(
  panel: Panel,
  { repos }: Repositories,
  { account, address }: { account: AccountRecord; address: RepoAddress },
) {
  if (address.localPath !== null && !panel.allows.localRepo(address.localPath))
    throw new DomainError("local_repo_forbidden");
  const [current, limit] = [await repos.count(), PLAN_TERMS[account.plan].repos];
  if (current >= limit)
    throw new DomainError("quota_exceeded", {
      status: 403,
      members: { limit, current, required_plan: planAllowing("repos", current) },
    });
  const twin = await repos.withAddress(address.canonical);
  if (twin !== null) throw new DomainError("repo_exists", { members: { repo_id: twin.id } });
}

type NewRepo = { address: RepoAddress; body: contract.BodyOf<typeof contract.createRepo> };

export function newRepo(
  panel: Pick<Panel, "newId" | "now" | "seal">,
  owner: string,
  { address, body }: NewRepo,
): RepoRecord {
  const { url: _, name, provider, credential, status, environment, ...settings } = body;
  const [id, now] = [panel.newId("rep"), panel.now()];
  const isUnknownHost = address.provider === "git" && address.host !== null;
  return {
    id,
    url: address.url,
    canonical: address.canonical,
    name: name ?? address.name,
    // Apps exist on GitHub only: with one, a host of any other name is a GitHub Enterprise Server.
    provider: provider ?? (credential?.kind === "github_app" && isUnknownHost ? "github" : address.provider),
    status: status === "paused" ? "paused" : "checking",
    statusReason: null,
    defaultBranch: null,
    aiPolicy: null,
    settings: patchSettings(DEFAULT_SETTINGS, settings),
    environment: patchEnvironment(environment, { now: {}, seal: sealVariable(panel, owner, id) }),
    ...sealedCredential(panel, `${owner} ${id}`, credential ?? address.credential ?? { kind: "none" }),
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
}

function sealedCredential({ seal }: Pick<Panel, "seal">, about: string, credential: CredentialSent) {
  const sealed = credential.kind === "none" ? null : seal.seal(JSON.stringify(credential), about);
  return { credentialKind: credential.kind, sealedCredential: sealed };
}

function sealVariable({ seal }: Pick<Panel, "seal">, owner: string, repoId: string) {
  return (value: string, name: string) => seal.seal(value, aboutVariable(owner, repoId, name));
}

export function getRepoHandler(panel: Panel): RequestHandler<typeof contract.getRepo, Caller> {
  return ({ caller, params, reply }) =>
    mapDomainErrors(panel, async () => {
      const repositories = panel.store.of(caller.account.id);
      const repo = orNotFound(await repositories.repos.find(params.id), "repo");
      mayRead(caller);
      reply.header("ETag", etag(repo));
      return withStats(panel, repositories, repo, await connectedCapacity(panel, caller));
    });
}

export function updateRepoHandler(panel: Panel): RequestHandler<typeof contract.updateRepo, Caller> {
  return async (context) => {
    const connected = await connectedCapacity(panel, context.caller);
    return inTransaction(panel, context, async (repositories) => {
      const { caller, params, body, request } = context;
      const repo = orNotFound(await repositories.repos.find(params.id), "repo");
      mayWrite(caller);
      if (!isMatch(request.headers["if-match"], repo))
        throw new DomainError("revision_conflict", { members: { repo_id: repo.id, revision: repo.revision } });
      const { name, provider, credential, status, environment, ai_policy, ...settings } = body;
      refuseWeakIsolation(panel, settings.isolation);
      const changed: RepoRecord = {
        ...repo,
        name: name === null ? byAddress(repo).name : (name ?? repo.name),
        provider: provider === null ? byAddress(repo).provider : (provider ?? repo.provider),
        // The reason belongs to the old status; the next reachability check sets it again.
        ...(status !== undefined && { status: status ?? "active", statusReason: null }),
        settings: patchSettings(repo.settings, settings),
        environment: patchEnvironment(environment, {
          now: repo.environment,
          seal: sealVariable(panel, caller.account.id, repo.id),
        }),
        aiPolicy: await changedPolicy(panel, repositories, { caller, repo, patch: ai_policy }),
        ...(credential !== undefined &&
          sealedCredential(panel, `${caller.account.id} ${repo.id}`, credential ?? { kind: "none" })),
        updatedAt: panel.now(),
      };
      refuseEmptySchedule(changed.settings);
      refuseAppElsewhere(changed);
      if (settings.schedule !== undefined && changed.settings.schedule.enabled) refuseByPolicy(changed);
      refuseManyVariables(changed.environment);
      await repositories.repos.save(changed);
      await planSchedules(repositories, { before: repo, after: changed, now: changed.updatedAt });
      if (changed.settings.follow_up.enabled && (settings.follow_up !== undefined || status !== undefined))
        await repositories.followUps.wake(repo.id, changed.updatedAt);
      const restart = { id: panel.newId("chk"), now: changed.updatedAt };
      await restartCheck(repositories.checks, restart, { before: repo, after: changed });
      const isWoken = changed.status === "active" && repo.status !== "active";
      const isToBeReached = credential !== undefined || changed.provider !== repo.provider || isWoken;
      const contact = (await repositories.contacts.find(repo.id)) ?? {
        ...firstContact(repo.id, panel.now()),
        nextAt: null,
      };
      const detected = stillDetected(contact.detected, repo.settings, changed.settings);
      if (isToBeReached || detected.length < contact.detected.length)
        await repositories.contacts.save({ ...contact, detected, ...(isToBeReached && { nextAt: panel.now() }) });
      const now = { ...changed, revision: repo.revision + 1 };
      return { status: 200, body: await withStats(panel, repositories, now, connected), headers: { ETag: etag(now) } };
    });
  };
}

/** RFC 9110, 13.1.1: any of a list, or `*`. */
function isMatch(ifMatch: string | undefined, repo: RepoRecord): boolean {
  if (ifMatch === undefined) return true;
  const named = ifMatch.split(",").map((tag) => tag.trim());
  return named.includes("*") || named.includes(etag(repo));
}

function byAddress({ url, name, provider }: RepoRecord): Pick<RepoRecord, "name" | "provider"> {
  return readAddress(url) ?? { name, provider };
}

export function deleteRepoHandler(panel: Panel): RequestHandler<typeof contract.deleteRepo, Caller> {
  return (context) =>
    inTransaction(panel, context, async (repositories) => {
      const { caller, params } = context;
      const repo = orNotFound(await repositories.repos.find(params.id), "repo");
      mayWrite(caller);
      const active = await repositories.runs.active(repo.id);
      for (const run of active)
        await cancelRun(repositories, run, { at: panel.now(), message: "The repository was deleted." });
      // A push in progress still needs the credential; its effect deletes it afterwards.
      const keepsCredential = active.some(({ state }) => state === "pushing");
      for (const kind of RUN_KINDS) await repositories.schedules.clear({ repoId: repo.id, kind });
      await repositories.checks.remove(repo.id);
      await repositories.repos.remove(repo.id, panel.now(), { keepsCredential });
      return { status: 204 };
    });
}

export function checkRepoHandler(panel: Panel): RequestHandler<typeof contract.checkRepo, Caller> {
  return async (context) => {
    const connected = await connectedCapacity(panel, context.caller);
    return inTransaction(panel, context, async (repositories) => {
      const { caller, params } = context;
      const repo = orNotFound(await repositories.repos.find(params.id), "repo");
      mayWrite(caller);
      const present = await repositories.checks.find(repo.id);
      if (present === null || !isOpen(present))
        await repositories.checks.save(newCheck(repo, { id: panel.newId("chk"), now: panel.now() }));
      return { status: 202, body: await withStats(panel, repositories, repo, connected) };
    });
  };
}
