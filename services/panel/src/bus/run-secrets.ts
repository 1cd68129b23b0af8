/**
 * Known secrets of a run to redact by value: the account's license key, repository credentials, and the worker's token. Text that looks
 * like a secret is redacted as well.
 */
import { createRedactor, type Redactor } from "@triptych/redaction";
import type { CredentialSent } from "@triptych/contracts";
import type { Panel } from "../domain/panel.ts";
import type { RunVariables, SealedCredential } from "../domain/repositories.ts";
import type { RepoRecord } from "../domain/records.ts";
import { aboutVariable, openEnvironment } from "../domain/repo-environment.ts";

export interface RunSecrets {
  redactorOf(owner: string, runId: string, epoch: number): Promise<Redactor>;
  /** The redactor for text about a repo without a run. */
  redactorOfRepo(owner: string, repo: RepoRecord): Promise<Redactor>;
}

export type RunSecretsParts = Pick<Panel, "store" | "seal" | "now"> & {
  /** The token created for this epoch, if this node knows it. */
  readonly runToken: (runId: string, epoch: number) => string | null;
};

/** Keys and credentials can change during a run. Until the next refresh, a new one is recognized by its pattern only. */
const REFRESH_INTERVAL_MS = 1_000;
/** Above the number of active runs on a node. */
const REDACTORS_MAX = 2_000;

interface VersionedRedactor {
  readonly version: string;
  readonly redactor: Redactor;
}

interface CachedRedactor {
  readonly at: number;
  readonly versioned: Promise<VersionedRedactor>;
}

export function openRunSecrets({ store, seal, now, runToken }: RunSecretsParts): RunSecrets {
  const looks = new Map<string, CachedRedactor>();

  return {
    async redactorOf(owner, runId, epoch) {
      const name = `${owner} ${runId} ${epoch}`;
      const last = looks.get(name);
      if (last !== undefined && now() - last.at < REFRESH_INTERVAL_MS) return (await last.versioned).redactor;
      // Reinserted last, so that the oldest are evicted first.
      looks.delete(name);
      const versioned = loadRedactor(owner, runId, { epoch, before: last?.versioned });
      looks.set(name, { at: now(), versioned });
      forgetOldest();
      // A failure is retried by the next frame.
      versioned.catch(() => looks.delete(name));
      return (await versioned).redactor;
    },
    async redactorOfRepo(owner, { id, revision, environment, sealedCredential }) {
      const key = await store.of(owner).license.read();
      const values = new Map([["license_key", seal.open(key.sealed, owner).toString()]]);
      if (sealedCredential !== null)
        values.set("repo_credential", secretOf(open(owner, { id, revision, sealed: sealedCredential })));
      for (const { name, value, sealed } of opened(owner, { id, revision, environment }))
        if (sealed) values.set(name, value);
      return createRedactor(values);
    },
  };

  async function loadRedactor(
    owner: string,
    runId: string,
    { epoch, before }: { readonly epoch: number; readonly before: Promise<VersionedRedactor> | undefined },
  ): Promise<VersionedRedactor> {
    const { license, repos } = store.of(owner);
    const sealed = await repos.sealed(runId);
    const variables = await repos.variablesOf(runId);
    const key = await license.read();
    const revisions = [...sealed, ...(variables === null ? [] : [variables])].map(
      ({ id, revision }) => `${id} ${revision}`,
    );
    const version = [key.generation, ...revisions].join(" ");
    const present = await before?.catch(() => undefined);
    if (present?.version === version) return present;
    const values = new Map([["license_key", seal.open(key.sealed, owner).toString()]]);
    const credentials = sealed.map((credential) => secretOf(open(owner, credential)));
    // Repos may share a credential. Names come from a closed list and differ only by number.
    for (const [index, credential] of [...new Set(credentials)].entries())
      values.set(index === 0 ? "repo_credential" : `repo_credential_${index + 1}`, credential);
    if (variables !== null)
      for (const { name, value, sealed: isSealed } of opened(owner, variables)) if (isSealed) values.set(name, value);
    const token = runToken(runId, epoch);
    if (token !== null) values.set("run_token", token);
    return { version, redactor: createRedactor(values) };
  }

  function open(owner: string, { id, sealed }: SealedCredential): CredentialSent {
    return JSON.parse(seal.open(sealed, `${owner} ${id}`).toString()) as CredentialSent;
  }

  function opened(owner: string, { id, environment }: RunVariables) {
    return openEnvironment(environment, (value, name) => seal.open(value, aboutVariable(owner, id, name)).toString());
  }

  function forgetOldest(): void {
    for (const name of looks.keys()) {
      if (looks.size <= REDACTORS_MAX) return;
      looks.delete(name);
    }
  }
}

function secretOf(credential: CredentialSent): string {
  if (credential.kind === "none") return "";
  return "private_key" in credential ? credential.private_key : credential.token;
}
