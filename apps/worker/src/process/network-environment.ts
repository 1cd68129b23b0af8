/** Variables of the worker's machine for proxies, registries and trusted certificates. */
import { isAbsolute } from "node:path";

/** Variables that name files and folders with certificates, which every command may read. */
const CERTIFICATE_NAMES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "CARGO_HTTP_CAINFO",
  "npm_config_cafile",
];

/** Variables for the setup command only. An agent reaches its model on loopback, and a proxy URL can contain a password. */
const SETUP_NAMES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "NODE_USE_ENV_PROXY",
  "npm_config_proxy",
  "npm_config_https_proxy",
  "npm_config_noproxy",
  "npm_config_registry",
  "npm_config_userconfig",
  "YARN_NPM_REGISTRY_SERVER",
  "PIP_INDEX_URL",
  "PIP_CONFIG_FILE",
  "UV_INDEX_URL",
  "UV_DEFAULT_INDEX",
  "GOPROXY",
  "GONOSUMDB",
  "GOPRIVATE",
];

type Host = Readonly<Record<string, string | undefined>>;

export function certificatesOf(host: Host): Readonly<Record<string, string>> {
  return pick(host, CERTIFICATE_NAMES);
}

export function setupNetworkOf(host: Host): Readonly<Record<string, string>> {
  return pick(host, SETUP_NAMES);
}

/** Paths that a sandbox shows for `certificatesOf`. */
export function certificatePaths(host: Host): readonly string[] {
  return [...new Set(Object.values(certificatesOf(host)).filter(isAbsolute))];
}

/** Passwords in URLs of proxies and registries, for redaction. */
export function networkSecretsOf(host: Host): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(setupNetworkOf(host))) {
    const password = URL.parse(value)?.password ?? "";
    if (password !== "") secrets.set(name, decodeURIComponent(password));
  }
  return secrets;
}

function pick(host: Host, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = host[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
}
