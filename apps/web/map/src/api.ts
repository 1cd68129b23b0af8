/**
 * Requests of the map page, through the published client. The key is sent in a header only. Waits out a full minute
 * window and retries once; throws other problems as `ProblemError`, which the page displays.
 */
import { createClient, readProblem } from "@triptych/client";
import type * as contract from "@triptych/contracts";
import type { AnswerOf, QueryOf } from "@triptych/contracts";
import { endpoint } from "../../shared/endpoint.ts";

type Page = AnswerOf<typeof contract.getItems>;
/** An item with the plan's fields: summary fields always, others only on Pro. */
export type Item = contract.SummaryItem & Page["items"][number];
export type Facets = Readonly<Record<string, FacetValue[] | undefined>>;
export type FacetValue = NonNullable<NonNullable<Page["facets"]>["type"]>[number];
export interface Relaxed {
  readonly dropped?: readonly string[];
  readonly corrected?: Readonly<Record<string, string>>;
}
export type ItemsPage = Omit<Page, "items" | "query"> & {
  readonly items: readonly Item[];
  readonly query: Readonly<Record<string, unknown>> & {
    readonly corrected?: Readonly<Record<string, string>>;
    readonly relaxed?: Relaxed;
    readonly unknown_tags?: readonly string[];
  };
};
export type Suggestion = AnswerOf<typeof contract.suggest>[number];

/** Thrown if another version was published in the meantime, because loaded and new items would not match. */
export class VersionChanged extends Error {}

const getItems = endpoint<typeof contract.getItems>("GET", "/api/items");
const getMeta = endpoint<typeof contract.getMeta>("GET", "/api/meta");
const getUsage = endpoint<typeof contract.getUsage>("GET", "/api/usage");
const suggest = endpoint<typeof contract.suggest>("GET", "/api/suggest");

interface ApiOptions {
  readonly key: string;
  /** Remaining items of the day after a response; null if unlimited. */
  onQuota(left: number | null): void;
  /** Rate limited: the request is retried after this time. */
  onWait(seconds: number): void;
}

/** A rate limit lasts a minute at most, and the client adds jitter. */
const RETRY_AFTER_MAX_MS = 90_000;
/** Waits for a rate limit last seconds. Pauses before a second attempt are shorter and need no notice. */
const NOTICE_MS = 900;

/** Without pauses, everything that arrived while the page was busy would be read in one task of 200 ms or more. */
const READ_MS = 20;
const SUGGESTIONS = 8;
/** Offset in the link to the items that a file does not contain. */
const NEXT_OFFSET = /[?&]offset=(\d+)[^>]*>; rel="next"/;

export type Api = ReturnType<typeof createApi>;

export function createApi({ key, onQuota, onWait }: ApiOptions) {
  let cache: "default" | "no-cache" = "default";
  const headers = { Authorization: `Bearer ${key}` };
  const noticing: typeof fetch = async (address, init) => {
    const response = await fetch(address, { ...init, cache });
    const left = response.headers.get("X-Quota-Remaining");
    if (response.ok) onQuota(left === null ? null : Number(left));
    return response;
  };
  const client = createClient({
    url: "",
    headers,
    fetch: noticing,
    retries: 1,
    longestWaitMs: RETRY_AFTER_MAX_MS,
    wait(ms, signal) {
      if (ms > NOTICE_MS) onWait(Math.ceil(ms / 1000));
      return pause(ms, signal);
    },
  });
  const list = async (params: URLSearchParams, signal: AbortSignal | undefined) =>
    (await client.call(getItems, { query: queryOf(params), ...(signal && { signal }) })).body;

  /** A stream's headers are sent first, so its cost is known only afterwards. */
  async function settle(): Promise<void> {
    onQuota((await client.call(getUsage, {})).body.day.remaining);
  }

  return {
    /** Makes the browser revalidate pages cached in the last minute, which costs no items. */
    invalidatePages() {
      cache = "no-cache";
    },
    usage: async () => (await client.call(getUsage, {})).body,
    meta: async () => (await client.call(getMeta, {})).body,
    suggest: async (q: string, signal: AbortSignal): Promise<readonly Suggestion[]> =>
      (await client.call(suggest, { query: { q, limit: SUGGESTIONS }, signal })).body,
    async items(params: URLSearchParams, signal?: AbortSignal): Promise<ItemsPage> {
      // JSON without `fields`: the page of the contract, whose items have the fields of one of the two plans.
      return (await list(params, signal)) as unknown as ItemsPage;
    },

    /** Streams every match from `offset`. */
    async *everything(
      filters: URLSearchParams,
      { offset, version, signal }: { readonly offset: number; readonly version: string; readonly signal: AbortSignal },
    ): AsyncGenerator<Item> {
      const params = allOf(filters, "ndjson");
      if (offset > 0) params.set("offset", String(offset));
      const response = await noticing(`/api/items?${params}`, { headers, signal });
      if (!response.ok) throw await readProblem(response);
      if (response.headers.get("ETag")?.startsWith(`W/"${version}-`) === false) {
        await response.body?.cancel();
        throw new VersionChanged();
      }
      for await (const line of linesOf(response)) yield JSON.parse(line) as Item;
      await settle();
    },

    /** All matches as a file, and their number: the day's quota may end it early. */
    async download(filters: URLSearchParams, format: string, signal: AbortSignal) {
      const response = await noticing(`/api/items?${allOf(filters, format)}`, { headers, signal });
      if (!response.ok) throw await readProblem(response);
      const file = await response.blob();
      await settle();
      return {
        file,
        count: Number(
          NEXT_OFFSET.exec(response.headers.get("Link") ?? "")?.[1] ?? response.headers.get("X-Total-Count"),
        ),
      };
    },
  };
}

function allOf(filters: URLSearchParams, format: string): URLSearchParams {
  const params = new URLSearchParams(filters);
  params.set("limit", "all");
  params.set("format", format);
  return params;
}

/** A repeated `tag` is an AND of lists; everything else is sent as written. */
function queryOf(params: URLSearchParams): QueryOf<typeof contract.getItems> {
  const tags = params.getAll("tag").map((text) => text.split(","));
  const query: object = { ...Object.fromEntries(params), ...(tags.length > 0 && { tag: tags }) };
  return query;
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let begun = performance.now();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    if (performance.now() - begun > READ_MS) {
      await pause(0, undefined);
      begun = performance.now();
    }
    const lines = (rest + step.value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("aborted", "AbortError"));
    });
  });
}
