/** Model providers from the worker's environment, by the usual variables. */
import type { Provider } from "./model-proxy.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A provider is available with a key or with its own address: a local model server needs no key. */
export function providersOf(environment: Environment): readonly Provider[] {
  return PROVIDERS.flatMap(({ id, key, address, baseUrl, keyHeader }) => {
    const named = environment[address];
    const secret = environment[key] ?? null;
    if (secret === null && named === undefined) return [];
    return [{ id, baseUrl: readAddress(address, named ?? baseUrl), key: secret, keyHeader }];
  });
}

function readAddress(variable: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.username !== "")
    throw new Error(`${variable} must be an http or https URL without user and query.`);
  return url.href.replace(/\/+$/, "");
}

interface ProviderDefinition {
  readonly id: string;
  readonly key: string;
  readonly address: string;
  readonly baseUrl: string;
  readonly keyHeader: Provider["keyHeader"];
}

export const PROVIDERS: readonly ProviderDefinition[] = [
  {
    id: "openai",
    key: "OPENAI_API_KEY",
    address: "OPENAI_BASE_URL",
    baseUrl: "https://api.openai.com/v1",
    keyHeader: "authorization",
  },
  {
    id: "anthropic",
    key: "ANTHROPIC_API_KEY",
    address: "ANTHROPIC_BASE_URL",
    baseUrl: "https://api.anthropic.com",
    keyHeader: "x-api-key",
  },
  {
    id: "gemini",
    key: "GEMINI_API_KEY",
    address: "GOOGLE_GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com",
    keyHeader: "x-goog-api-key",
  },
];
