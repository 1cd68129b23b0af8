/** A repo with its decrypted credential, for a single call. */
import type { CredentialSent } from "@triptych/contracts";
import type { Encryption } from "@triptych/encryption";
import type { PanelStore } from "../domain/repositories.ts";
import type { AppRepo, AppTokens } from "../forges/app-tokens.ts";
import type { InstallationCredential, RemoteRepo } from "../git/remote.ts";

/** Includes a repo removed during a push; null if it is gone. */
export type OpenRepo = (
  owner: string,
  repoId: string,
) => Promise<(RemoteRepo & { readonly isRemoved: boolean }) | null>;

export function secretsOf({ credential }: Pick<RemoteRepo, "credential">): readonly string[] {
  if (credential.kind === "none" || credential.kind === "installation") return [];
  return [credential.kind === "ssh_key" ? credential.private_key : credential.token];
}

export function openRepoWith(store: PanelStore, seal: Encryption, appTokens: AppTokens): OpenRepo {
  return async (owner, repoId) => {
    const repo = await store.of(owner).repos.findForPush(repoId);
    if (repo === null) return null;
    const { id, url, provider, sealedCredential, isRemoved } = repo;
    const credential: CredentialSent =
      sealedCredential === null
        ? { kind: "none" }
        : // We sealed it: it has this form.
          (JSON.parse(seal.open(sealedCredential, `${owner} ${id}`).toString()) as CredentialSent);
    const about = { owner, id, url, provider };
    if (credential.kind !== "github_app") return { ...about, credential, isRemoved };
    return { ...about, credential: installationOf({ ...about, app: credential }, appTokens), isRemoved };
  };
}

function installationOf(repo: AppRepo, appTokens: AppTokens): InstallationCredential {
  return {
    kind: "installation",
    token: () => appTokens.tokenOf(repo),
    forget: () => appTokens.forget(repo),
  };
}
