import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import {
  AccessToken,
  Account,
  CreatedToken,
  License,
  RotatedLicense,
  scopes,
  SignedIn,
  tokenName,
} from "./account-schemas.ts";
import { LICENSE_BODY_BYTES, LICENSE_PATH } from "./limits.ts";
import {
  COMMON_ERRORS,
  anyId,
  READ_ERRORS,
  strictObject,
  IDEMPOTENT_ERRORS,
  listOf,
  paged,
  WRITE_ERRORS,
} from "./schema-helpers.ts";

export const getAccount = defineEndpoint({
  id: "getAccount",
  method: "GET",
  path: "/api/account",
  summary: "Get your account, plan and usage",
  description: "Usage counts the current calendar month (UTC).",
  auth: "account",
  answers: { 200: { description: "the account; contains no key", schema: Account } },
  problems: READ_ERRORS,
});

export const getLicense = defineEndpoint({
  id: "getLicense",
  method: "GET",
  path: LICENSE_PATH,
  summary: "Get the license key for workers",
  description: "Workers of this account connect with it. Treat it as a password.",
  auth: "account",
  /** Unlike other paths, this one ignores unknown query parameters (panel specification). */
  query: Type.Object({}, { additionalProperties: true }),
  answers: { 200: { description: "the key", schema: License } },
  problems: [...COMMON_ERRORS, "scope_required"],
});

export const rotateLicense = defineEndpoint({
  id: "rotateLicense",
  method: "POST",
  path: LICENSE_PATH,
  summary: "Replace the license key",
  description:
    "If `notify_workers` is true, the new key is pushed immediately to connected workers; the response does not wait for them. Set the flag in the query or in the JSON body: `1`, `true`, `t`, `yes`, `y` or `on` in any case. In the body, the value can also be `true` or a number equal to 1. A body that is not JSON changes nothing, unless the query sets the flag.",
  auth: "account",
  rawBody: true,
  optionalBody: true,
  bodyLimit: LICENSE_BODY_BYTES,
  query: Type.Object({ notify_workers: Type.Optional(Type.String()) }, { additionalProperties: true }),
  answers: { 200: { description: "the new key; the old key is no longer valid", schema: RotatedLicense } },
  problems: [...COMMON_ERRORS, "csrf_failed", "scope_required", "account_suspended", "invalid_json", "too_large"],
});

export const listTokens = defineEndpoint({
  id: "listTokens",
  method: "GET",
  path: "/api/account/tokens",
  summary: "List your access tokens, newest first, without their secrets",
  description: "Pages continue with `next_cursor`. Only the response that creates a token contains its secret.",
  auth: "account",
  query: strictObject(paged),
  answers: { 200: { description: "a page", schema: listOf(AccessToken) } },
  problems: READ_ERRORS,
});

export const createToken = defineEndpoint({
  id: "createToken",
  method: "POST",
  path: "/api/account/tokens",
  summary: "Create an access token",
  description: "The token has only the scopes in the request.",
  auth: "account",
  idempotent: true,
  body: strictObject({
    name: tokenName,
    scopes,
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
  }),
  answers: { 201: { description: "includes the secret, which cannot be retrieved later", schema: CreatedToken } },
  problems: [...WRITE_ERRORS, ...IDEMPOTENT_ERRORS],
});

export const deleteToken = defineEndpoint({
  id: "deleteToken",
  method: "DELETE",
  path: "/api/account/tokens/{id}",
  summary: "Revoke an access token",
  description: "Later requests with the token return 401.",
  auth: "account",
  takesNoBody: true,
  params: strictObject({ id: anyId("tok") }),
  answers: { 204: { description: "the token is no longer valid" } },
  problems: [...WRITE_ERRORS, "not_found"],
});

const SIGN_IN_ERRORS = [
  "validation_failed",
  "invalid_json",
  "too_large",
  "unsupported_media_type",
  "unauthenticated",
  "rate_limited",
] as const;
const COOKIE = { "Set-Cookie": "the session" };

export const login = defineEndpoint({
  id: "login",
  method: "POST",
  path: "/api/auth/login",
  summary: "Sign in with email and password",
  description: "Sets the session cookie. Attempts are rate limited.",
  auth: null,
  body: strictObject({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
  answers: { 200: { description: "a new session", schema: SignedIn, headers: COOKIE } },
  problems: [...SIGN_IN_ERRORS, "csrf_failed"],
});

export const logout = defineEndpoint({
  id: "logout",
  method: "POST",
  path: "/api/auth/logout",
  summary: "End this session, or all sessions",
  description: "`everywhere` ends all sessions of the user.",
  auth: "account",
  body: strictObject({ everywhere: Type.Optional(Type.Boolean()) }),
  answers: { 204: { description: "signed out" } },
  problems: WRITE_ERRORS,
});

export const getSession = defineEndpoint({
  id: "getSession",
  method: "GET",
  path: "/api/auth/session",
  summary: "Get the signed-in user and the CSRF token of this session",
  description: "Send `csrf_token` as `X-CSRF-Token` with every request that changes something. For cookie sessions.",
  auth: "account",
  answers: { 200: { description: "the session", schema: SignedIn } },
  problems: [...COMMON_ERRORS, "validation_failed"],
});
