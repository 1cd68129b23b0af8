/** The requests of the wallet pages. The token is sent in a header only; errors are thrown as `ProblemError`. */
import { createClient, ProblemError } from "@triptych/client";
import type * as contract from "@triptych/contracts";
import type { AnswerOf, BodyOf, QueryOf } from "@triptych/contracts";
import { endpoint } from "../../shared/endpoint.ts";

const createWallet = endpoint<typeof contract.createWallet>("POST", "/v1/wallets");
const getWallet = endpoint<typeof contract.getWallet>("GET", "/v1/wallets/me");
const changeWallet = endpoint<typeof contract.changeWallet>("PATCH", "/v1/wallets/me");
const rotateToken = endpoint<typeof contract.rotateToken>("POST", "/v1/wallets/me/rotate");
const createWalletToken = endpoint<typeof contract.createWalletToken>("POST", "/v1/wallets/me/tokens");
const listWalletTokens = endpoint<typeof contract.listWalletTokens>("GET", "/v1/wallets/me/tokens");
const revokeWalletToken = endpoint<typeof contract.revokeWalletToken>("DELETE", "/v1/wallets/me/tokens/{id}");
const listEntries = endpoint<typeof contract.listEntries>("GET", "/v1/wallets/me/entries");
const getWalletUsage = endpoint<typeof contract.getWalletUsage>("GET", "/v1/wallets/me/usage");
const getReceipt = endpoint<typeof contract.getReceipt>("GET", "/v1/wallets/me/receipts/{id}", "application/jwt");
const getStatement = (media: string) =>
  endpoint<typeof contract.getStatement>("GET", "/v1/wallets/me/statement", media);
const createTopup = endpoint<typeof contract.createTopup>("POST", "/v1/topup");
const getCatalog = endpoint<typeof contract.getCatalog>("GET", "/v1/catalog");
const getJwks = endpoint<typeof contract.getJwks>("GET", "/.well-known/jwks.json");
const getRevokedKeys = endpoint<typeof contract.getRevokedKeys>("GET", "/.well-known/revoked-keys.json");
const redeemRecovery = endpoint<typeof contract.redeemRecovery>("POST", "/v1/wallets/recover/redeem");
const verifyWallet = endpoint<typeof contract.verifyWallet>("POST", "/v1/wallets/verify");

export type Wallet = AnswerOf<typeof getWallet>;
export type WalletToken = AnswerOf<typeof listWalletTokens>["items"][number];
export type Entry = AnswerOf<typeof listEntries>["items"][number];
export type EntryFilter = Omit<QueryOf<typeof listEntries>, "limit" | "cursor">;
export type Catalog = AnswerOf<typeof getCatalog>;
export type Topup = AnswerOf<typeof createTopup>;
export type UsageBucket = AnswerOf<typeof getWalletUsage>["items"][number];

const open = createClient({ url: "" });

/** Requests that need no token. */
export const rail = {
  catalog: async () => (await open.call(getCatalog, {})).body,
  createWallet: async (email: string, idempotencyKey: string) =>
    (await open.call(createWallet, { body: { email }, idempotencyKey })).body,
  /** The published keys, valid and revoked, which verification needs. */
  keys: async () => [(await open.call(getJwks, {})).body, (await open.call(getRevokedKeys, {})).body],
  redeem: async (code: string) => (await open.call(redeemRecovery, { body: { code } })).body,
  verify: async (code: string) => (await open.call(verifyWallet, { body: { code } })).body,
};

export type Api = ReturnType<typeof createApi>;

export function createApi(token: string) {
  const { call } = createClient({ url: "", headers: { "X-Rail-Wallet": token } });
  return {
    wallet: async () => (await call(getWallet, {})).body,
    change: async (body: BodyOf<typeof contract.changeWallet>) => (await call(changeWallet, { body })).body,
    rotate: async (body: BodyOf<typeof contract.rotateToken>) => (await call(rotateToken, { body })).body,
    tokens: async (cursor: string | null, signal: AbortSignal) =>
      (await call(listWalletTokens, { query: { limit: 50, ...(cursor !== null && { cursor }) }, signal })).body,
    createToken: async (body: BodyOf<typeof contract.createWalletToken>, idempotencyKey: string) =>
      (await call(createWalletToken, { body, idempotencyKey })).body,
    revokeToken: async (id: string) => void (await call(revokeWalletToken, { params: { id } })),
    entries: async (query: QueryOf<typeof listEntries>, signal?: AbortSignal) =>
      (await call(listEntries, { query, ...(signal && { signal }) })).body,
    /** Usage by UTC day; both days are inclusive. */
    usage: async (from: string, to: string, signal: AbortSignal) =>
      (await call(getWalletUsage, { query: { by: "day", from, to }, signal })).body.items,
    receipt: async (id: string) => (await call(getReceipt, { params: { id } })).body,
    statement: async (month: string, format: "json" | "csv") => {
      const mediaType = format === "csv" ? "text/csv" : "application/json";
      const { body, headers } = await call(getStatement(mediaType), { query: { month, format } });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return { text, mediaType, signature: headers.get("X-Statement-Signature") };
    },
    topUp: async (amount_micro: number, idempotencyKey: string) =>
      (await call(createTopup, { body: { amount_micro }, idempotencyKey })).body,
  };
}

export interface Session {
  readonly api: Api;
  readonly wallet: Wallet;
  /** When the wallet was read, milliseconds since 1970. */
  readonly readAt: number;
  /** Sections load again when it changes. */
  readonly version: number;
  readonly refresh: () => Promise<void>;
  /** Shows a new token once. */
  readonly present: (token: string, text: string) => void;
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 401;
}

/** The token stays in this tab. It is sent in a header, never in a URL. */
const SLOT = "triptych.rail.token";
export const storedToken = () => sessionStorage.getItem(SLOT);
export const keepToken = (token: string) => sessionStorage.setItem(SLOT, token);
export const forgetToken = () => sessionStorage.removeItem(SLOT);
