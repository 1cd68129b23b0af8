/** The environment of repository commands and agents: an allow list. Homes and temporary folders are per run. */
import { fileURLToPath } from "node:url";
import { certificatesOf } from "./network-environment.ts";

export type Environment = Readonly<Record<string, string>>;

/** The folder of the `triptych` for gates. First in PATH, so that no other program shadows it. */
const GATES = fileURLToPath(new URL("../scouts/gate-command/bin", import.meta.url));

const ALLOWED = ["PATH", "LANG", "LC_ALL", "TZ"] as const;

export function environmentOf(
  host: Readonly<Record<string, string | undefined>>,
  folders: { readonly home: string; readonly temporary: string },
): Environment {
  const inherited: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = host[name];
    if (value !== undefined) inherited[name] = value;
  }
  const PATH = inherited["PATH"] === undefined ? GATES : `${GATES}:${inherited["PATH"]}`;
  const own = { HOME: folders.home, TMPDIR: folders.temporary, CI: "true", TERM: "dumb" };
  return { ...certificatesOf(host), ...inherited, ...own, PATH, TRIPTYCH_NODE: process.execPath };
}

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
const SECRET_LENGTH_MIN = 8;

/** Secret values of the worker's environment, by variable name. */
export function secretsOf(host: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(host))
    if (value !== undefined && value.length >= SECRET_LENGTH_MIN && isSecretName(name)) found.set(name, value);
  return found;
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}
