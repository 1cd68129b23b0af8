/** The only file of the page that fetches. The token is sent in a header; errors are thrown with the rail's text. */

/**
 * @typedef {object} Wallet
 * @property {string} wallet_id
 * @property {"active" | "frozen" | "closed"} status
 * @property {string | null} label
 * @property {string | null} email_masked
 * @property {string} token_hint
 * @property {number} balance_micro
 * @property {number} paid_micro
 * @property {number} promo_micro
 * @property {string | null} promo_expires_at
 * @property {number} decisions_remaining
 * @property {number} price_micro
 * @property {AutoTopup | null} auto_topup
 * @property {string} created_at
 */
/**
 * @typedef {object} AutoTopup
 * @property {number} threshold_micro
 * @property {number} amount_micro
 * @property {number} max_per_month
 * @property {"needs_payment_method" | "active" | "stopped"} status
 * @property {string | null} stop_reason
 * @property {string | null} stopped_at
 */
/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {number} seq
 * @property {string} kind
 * @property {number} amount_micro
 * @property {number} balance_after_micro
 * @property {string | null} charge_id
 * @property {string | null} op
 * @property {string} created_at
 */
/** @typedef {{ items: Entry[], next_cursor: string | null }} EntriesPage */
/** @typedef {{ topup_id: string, status: string, amount_micro: number, checkout_url: string | null }} Topup */
/** @typedef {{ bucket: string, decisions: number, amount_micro: number }} Bucket */
/** @typedef {{ wallet_token: string, previous_valid_until: string }} Rotated */
/** @typedef {{ code: string, title: string, detail: string, request_id?: string, errors?: readonly { path: string, message: string }[] }} ProblemBody */

export class ApiProblem extends Error {
  /** @param {number} status @param {ProblemBody} body */
  constructor(status, body) {
    super(body.detail);
    this.status = status;
    this.body = body;
  }
}

/** @typedef {ReturnType<typeof createApi>} Api */

export function createApi(/** @type {string} */ token) {
  /** @param {string} path @param {{ method?: string, body?: string, headers?: Record<string, string> }} [more] */
  async function ask(path, more = {}) {
    return answered(await fetch(path, { ...more, headers: { "X-Rail-Wallet": token, ...more.headers } }));
  }

  return {
    /** @returns {Promise<Wallet>} */
    wallet: async () => (await ask("/v1/wallets/me")).json(),

    /** @param {string | null} cursor @returns {Promise<EntriesPage>} */
    async entries(cursor) {
      const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      return (await ask(`/v1/wallets/me/entries?limit=50${query}`)).json();
    },

    /** @param {string} chargeId */
    receipt: async (chargeId) => (await ask(`/v1/wallets/me/receipts/${encodeURIComponent(chargeId)}`)).text(),

    /** By day, both inclusive. @param {string} from @param {string} to @returns {Promise<readonly Bucket[]>} */
    usage: async (from, to) => (await (await ask(`/v1/wallets/me/usage?by=day&from=${from}&to=${to}`)).json()).items,

    /** @param {string} month @param {string} format */
    async statement(month, format) {
      const answer = await ask(`/v1/wallets/me/statement?month=${month}&format=${format}`);
      const mediaType = answer.headers.get("Content-Type") ?? "";
      return { text: await answer.text(), mediaType, signature: answer.headers.get("X-Statement-Signature") };
    },

    /** @param {number} graceSeconds @returns {Promise<Rotated>} */
    rotate: async (graceSeconds) =>
      (await ask("/v1/wallets/me/rotate", { method: "POST", ...json({ grace_seconds: graceSeconds }) })).json(),

    /** @param {object | null} setting @returns {Promise<Wallet>} */
    setAutoTopUp: async (setting) =>
      (await ask("/v1/wallets/me", { method: "PATCH", ...json({ auto_topup: setting }) })).json(),

    /**
     * A separate key per payment, so that a repeated click pays once.
     * @param {number} amountMicro @param {string} key @returns {Promise<Topup>}
     */
    async topUp(amountMicro, key) {
      return (await ask("/v1/topup", { method: "POST", ...json({ amount_micro: amountMicro }, key) })).json();
    },
  };
}

/** @param {string} email @param {string} key @returns {Promise<{ wallet_token: string }>} */
export async function makeWallet(email, key) {
  return (await answered(await fetch("/v1/wallets", { method: "POST", ...json({ email }, key) }))).json();
}

/** @param {object} body @param {string} [key] */
function json(body, key) {
  const headers = { "Content-Type": "application/json", ...(key !== undefined && { "Idempotency-Key": key }) };
  return { body: JSON.stringify(body), headers };
}

/** The published keys, valid and revoked: all that verification needs. @returns {Promise<unknown[]>} */
export function publishedKeys() {
  return Promise.all(
    ["jwks", "revoked-keys"].map(async (name) => (await answered(await fetch(`/.well-known/${name}.json`))).json()),
  );
}

async function answered(/** @type {Response} */ response) {
  if (response.ok) return response;
  throw new ApiProblem(response.status, await readProblem(response));
}

/** @returns {Promise<ProblemBody>} */
async function readProblem(/** @type {Response} */ response) {
  try {
    return await response.json();
  } catch {
    return { code: "unreadable", title: `HTTP ${response.status}`, detail: "Unexpected response from the rail." };
  }
}
