/** The account, its licence and tokens, and how its owner signs in. */
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
} from "./account-shapes.ts";
import { LICENSE_BODY_BYTES, LICENSE_PATH } from "./limits.ts";
import { always, anyId, asked, closed, keyed, listOf, paged, written } from "./pieces.ts";

export const getAccount = defineEndpoint({
  id: "getAccount",
  method: "GET",
  path: "/api/account",
  summary: "Your account, plan and usage",
  auth: "account",
  answers: { 200: { description: "the account; nothing of a key is in it", schema: Account } },
  problems: asked,
});

export const getLicense = defineEndpoint({
  id: "getLicense",
  method: "GET",
  path: LICENSE_PATH,
  summary: "Read the licence key that workers present",
  auth: "account",
  /** Unknown parameters are ignored on this path, as its law has it. */
  query: Type.Object({}, { additionalProperties: true }),
  answers: { 200: { description: "the key", schema: License } },
  problems: [...always, "scope_required"],
});

export const rotateLicense = defineEndpoint({
  id: "rotateLicense",
  method: "POST",
  path: LICENSE_PATH,
  summary: "Replace the licence key",
  description:
    "With `notify_workers` true (query, or else JSON body: `1 true t yes y on` in any case; in a body also `true` and a number equal to 1) the new key is pushed to the connected workers that have room for it at this moment. Nothing waits for a worker. A body that is not JSON changes nothing, unless the query decides.",
  auth: "account",
  rawBody: true,
  optionalBody: true,
  bodyLimit: LICENSE_BODY_BYTES,
  query: Type.Object({ notify_workers: Type.Optional(Type.String()) }, { additionalProperties: true }),
  answers: { 200: { description: "the new key; the old one opens nothing any more", schema: RotatedLicense } },
  problems: [...always, "csrf_failed", "scope_required", "account_suspended", "invalid_json", "too_large"],
});

export const listTokens = defineEndpoint({
  id: "listTokens",
  method: "GET",
  path: "/api/account/tokens",
  summary: "Your access tokens, newest first, without their secrets",
  auth: "account",
  query: closed(paged),
  answers: { 200: { description: "a page", schema: listOf(AccessToken) } },
  problems: asked,
});

export const createToken = defineEndpoint({
  id: "createToken",
  method: "POST",
  path: "/api/account/tokens",
  summary: "Make an access token",
  auth: "account",
  idempotent: true,
  body: closed({
    name: tokenName,
    scopes,
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
  }),
  answers: { 201: { description: "with its secret, this once", schema: CreatedToken } },
  problems: [...written, ...keyed],
});

export const deleteToken = defineEndpoint({
  id: "deleteToken",
  method: "DELETE",
  path: "/api/account/tokens/{id}",
  summary: "Withdraw an access token",
  auth: "account",
  takesNoBody: true,
  params: closed({ id: anyId("tok") }),
  answers: { 204: { description: "it opens nothing any more" } },
  problems: [...written, "not_found"],
});

const entering = [
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
  summary: "Sign in with e-mail and password",
  auth: null,
  body: closed({
    email: Type.String({ minLength: 1, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 1_000 }),
  }),
  answers: { 200: { description: "a new session", schema: SignedIn, headers: COOKIE } },
  problems: [...entering, "csrf_failed"],
});

export const logout = defineEndpoint({
  id: "logout",
  method: "POST",
  path: "/api/auth/logout",
  summary: "End this session, or all of them",
  auth: "account",
  body: closed({ everywhere: Type.Optional(Type.Boolean()) }),
  answers: { 204: { description: "signed out" } },
  problems: written,
});

export const getSession = defineEndpoint({
  id: "getSession",
  method: "GET",
  path: "/api/auth/session",
  summary: "Who is signed in, and the CSRF token of this session",
  auth: "account",
  answers: { 200: { description: "the session", schema: SignedIn } },
  problems: [...always, "validation_failed"],
});
