/**
 * `npm run openapi:examples`: starts the services, calls their operations, and writes the responses into
 * `packages/server/examples/<service>.json`. Values that differ between two captures are replaced, so that a second
 * capture writes the same files. `npm run openapi` then copies them into the documents.
 */
import { mkdir, writeFile } from "node:fs/promises";
import type { CallOptions, Exchange } from "./calls.ts";
import { runStories } from "./run-stories.ts";
import { stableValue, type Replacements } from "./stable-values.ts";

interface CapturedExample {
  readonly request?: unknown;
  readonly status: number;
  readonly content?: Readonly<Record<string, unknown>>;
}
type Examples = Map<string, CapturedExample>;

const BINARY = new Set([
  "application/octet-stream",
  "application/x-git-upload-pack-advertisement",
  "application/x-git-upload-pack-result",
]);

/** Returns the text of each service's file. */
export async function captureExamples(): Promise<ReadonlyMap<string, string>> {
  const exchanges: Exchange[] = [];
  const { texts } = await runStories({ observe: (exchange) => void exchanges.push(exchange) });
  const replacements: Replacements = { texts, now: Date.now() };
  const captured = new Map<string, Examples>();
  for (const exchange of exchanges) {
    if (exchange.request.isExample === false) continue;
    const examples = captured.get(exchange.service) ?? new Map();
    captured.set(exchange.service, examples);
    add(examples, exchange, replacements);
  }
  return new Map([...captured].map(([service, examples]) => [service, textOf(examples)]));
}

/** Keeps the first response, and the first one in each other media type with the same status. */
function add(examples: Examples, exchange: Exchange, replacements: Replacements): void {
  const { operation, request, status, media, bytes } = exchange;
  const known = examples.get(operation);
  if (known !== undefined && known.status !== status) return;
  if (known !== undefined && (known.content === undefined || media in known.content)) return;
  const body = contentOf(media, bytes, replacements);
  examples.set(operation, {
    ...requestOf(request, replacements),
    ...(known?.request !== undefined && { request: known.request }),
    status,
    ...(body !== undefined && { content: { ...known?.content, [media]: body } }),
  });
}

function requestOf({ body }: CallOptions, replacements: Replacements) {
  return body === undefined || body instanceof Uint8Array ? {} : { request: stableValue(body, replacements) };
}

/** Undefined if there is no body or if it is not text. */
function contentOf(media: string, bytes: Uint8Array, replacements: Replacements): unknown {
  if (bytes.length === 0 || BINARY.has(media)) return undefined;
  const text = new TextDecoder().decode(bytes);
  return stableValue(media.endsWith("json") && !media.endsWith("ndjson") ? JSON.parse(text) : text, replacements);
}

function textOf(examples: Examples): string {
  const sorted = Object.fromEntries([...examples].sort(([first], [second]) => (first < second ? -1 : 1)));
  return `${JSON.stringify(sorted, null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) {
  const folder = new URL("../../packages/server/examples/", import.meta.url);
  await mkdir(folder, { recursive: true });
  for (const [service, text] of await captureExamples()) await writeFile(new URL(`${service}.json`, folder), text);
}
