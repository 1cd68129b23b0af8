/**
 * The only module of the map page that makes requests. The key is sent in a header only. Retries once after a full
 * minute window; throws other problems as `ApiProblem`, which the page displays.
 */

/** @typedef {{ code: string, slug: string, nom: string }} Area */
/**
 * @typedef {object} Item an item with the plan's fields: summary fields always, others only on Pro
 * @property {string} type
 * @property {string} slug
 * @property {string} url
 * @property {string} title
 * @property {string} summary
 * @property {{ code: string | null, nom: string | null } | null} commune
 * @property {Area | null} departement
 * @property {Area | null} region
 * @property {readonly string[]} tags
 * @property {{ lat: number, lon: number } | null} [location]
 * @property {string | null} [description]
 * @property {{ rue: string | null, code_postal: string | null } | null} [address]
 * @property {string | null} [website]
 * @property {string | null} [email]
 * @property {string | null} [phone]
 * @property {string | null} [opening_hours]
 * @property {string | null} [access]
 * @property {string | null} [founded]
 * @property {string | null} [author]
 * @property {readonly { name: string, licence: string | null }[]} [sources]
 * @property {readonly { url: string, title: string | null }[]} [links]
 * @property {number} [distance_km]
 */
/** @typedef {{ value: string, label: string, count: number }} FacetValue */
/** @typedef {{ [name: string]: readonly FacetValue[] | undefined }} Facets */
/** @typedef {{ dropped?: readonly string[], corrected?: Record<string, string> }} Relaxed */
/**
 * @typedef {object} ItemsPage
 * @property {readonly Item[]} items
 * @property {number} total
 * @property {Facets} [facets]
 * @property {{ corrected?: Record<string, string>, relaxed?: Relaxed, unknown_tags?: readonly string[] }} query
 * @property {string} version
 */
/** @typedef {{ code: string, title: string, detail: string, request_id?: string, errors?: readonly { path: string, message: string }[] }} ProblemBody */

export class ApiProblem extends Error {
  /** @param {number} status @param {ProblemBody} body */
  constructor(status, body) {
    super(body.detail);
    this.status = status;
    this.body = body;
  }
}

/** Another version was published meanwhile, so loaded and new items do not match. */
export class VersionChanged extends Error {}

/** @typedef {ReturnType<typeof createApi>} Api */

/**
 * @param {object} options
 * @param {string} options.key
 * @param {(left: number | null) => void} options.onQuota remaining items of the day after a response; null if unlimited
 * @param {(seconds: number) => void} options.onWait rate limited; the request is retried after this time
 */
export function createApi({ key, onQuota, onWait }) {
  /** @type {RequestCache} */
  let cache = "default";

  /** @param {string} path @param {AbortSignal} [signal] @returns {Promise<Response>} */
  async function ask(path, signal, patient = true) {
    const response = await fetch(path, { headers: { Authorization: `Bearer ${key}` }, signal: signal ?? null, cache });
    const left = response.headers.get("X-Quota-Remaining");
    if (response.ok) {
      onQuota(left === null ? null : Number(left));
      return response;
    }
    const problem = new ApiProblem(response.status, await readProblem(response));
    const seconds = Number(response.headers.get("Retry-After"));
    if (problem.body.code !== "rate_limited" || !patient || !(seconds > 0)) throw problem;
    onWait(seconds);
    await pause(seconds * 1000, signal);
    return ask(path, signal, false);
  }

  /** @param {string} path @param {URLSearchParams} [params] @param {AbortSignal} [signal] @returns {Promise<any>} */
  const json = async (path, params, signal) => (await ask(withQuery(path, params), signal)).json();

  /** A stream's headers are sent first, so its cost is known only afterwards. */
  async function settle(/** @type {AbortSignal} */ signal) {
    onQuota((await json("/api/usage", undefined, signal)).day.remaining);
  }

  return {
    /** Makes the browser revalidate pages cached in the last minute, which costs no items. */
    invalidatePages() {
      cache = "no-cache";
    },
    /** @returns {Promise<{ key: { plan: "discovery" | "pro", name: string }, day: { remaining: number | null } }>} */
    usage: (/** @type {AbortSignal | undefined} */ signal) => json("/api/usage", undefined, signal),
    /** @returns {Promise<{ attribution: readonly string[], tags: readonly { slug: string, label: string }[] }>} */
    meta: (/** @type {AbortSignal | undefined} */ signal) => json("/api/meta", undefined, signal),
    /** @returns {Promise<ItemsPage>} */
    items: (/** @type {URLSearchParams} */ params, /** @type {AbortSignal | undefined} */ signal) =>
      json("/api/items", params, signal),

    /**
     * Streams every match from `offset`. @param {URLSearchParams} filters @param {{ offset: number, version: string,
     * signal: AbortSignal }} options @returns {AsyncGenerator<Item>}
     */
    async *everything(filters, { offset, version, signal }) {
      const params = new URLSearchParams(filters);
      params.set("limit", "all");
      params.set("format", "ndjson");
      if (offset > 0) params.set("offset", String(offset));
      const response = await ask(withQuery("/api/items", params), signal);
      if (response.headers.get("ETag")?.startsWith(`W/"${version}-`) === false) {
        await response.body?.cancel();
        throw new VersionChanged();
      }
      for await (const line of linesOf(response)) yield JSON.parse(line);
      await settle(signal);
    },

    /** All matches as a file. @param {URLSearchParams} filters @param {string} format @param {AbortSignal} signal */
    async download(filters, format, signal) {
      const params = new URLSearchParams(filters);
      params.set("limit", "all");
      params.set("format", format);
      const response = await ask(withQuery("/api/items", params), signal);
      const text = await response.text();
      await settle(signal);
      return { text, mediaType: response.headers.get("Content-Type") ?? "text/plain" };
    },
  };
}

function withQuery(/** @type {string} */ path, /** @type {URLSearchParams | undefined} */ params) {
  const text = params?.toString() ?? "";
  return text === "" ? path : `${path}?${text}`;
}

/** @returns {Promise<ProblemBody>} */
async function readProblem(/** @type {Response} */ response) {
  try {
    return await response.json();
  } catch {
    return { code: "unreadable", title: `HTTP ${response.status}`, detail: response.statusText };
  }
}

/** @returns {AsyncGenerator<string>} */
async function* linesOf(/** @type {Response} */ response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + step.value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}

/** @returns {Promise<void>} */
function pause(/** @type {number} */ milliseconds, /** @type {AbortSignal | undefined} */ signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
