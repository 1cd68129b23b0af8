import type { Environment, EnvironmentPatch } from "@triptych/contracts";

export interface StoredVariable {
  readonly value: string;
  readonly sealed: boolean;
}

export type StoredEnvironment = Readonly<Record<string, StoredVariable>>;

interface SealContext {
  readonly now: StoredEnvironment;
  /** Encrypts the value of one variable; the name is authenticated with it. */
  readonly seal: (value: string, name: string) => string;
}

/** A string or `{value}` sets a variable, null removes it. A null patch removes all. */
export function patchEnvironment(
  patch: EnvironmentPatch | null | undefined,
  { now, seal }: SealContext,
): StoredEnvironment {
  if (patch === undefined) return now;
  if (patch === null) return {};
  const next = new Map(Object.entries(now));
  for (const [name, sent] of Object.entries(patch)) {
    if (sent === null) next.delete(name);
    else if (typeof sent === "string") next.set(name, { value: sent, sealed: false });
    else if (sent.sealed === true) next.set(name, { value: seal(sent.value, name), sealed: true });
    else next.set(name, { value: sent.value, sealed: false });
  }
  return Object.fromEntries([...next].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function environmentShape(environment: StoredEnvironment): Environment {
  return Object.fromEntries(
    Object.entries(environment).map(([name, { value, sealed }]) => [name, { value: sealed ? null : value, sealed }]),
  );
}

/** Decrypted, for a worker. `open` is the inverse of `seal`. */
export function openEnvironment(
  environment: StoredEnvironment,
  open: (value: string, name: string) => string,
): readonly (StoredVariable & { readonly name: string })[] {
  return Object.entries(environment).map(([name, { value, sealed }]) => ({
    name,
    value: sealed ? open(value, name) : value,
    sealed,
  }));
}

/** Additional data of the encryption: a copy in another row, or under another name, does not decrypt. */
export function aboutVariable(owner: string, repoId: string, name: string): string {
  return `${owner} ${repoId} environment ${name}`;
}
