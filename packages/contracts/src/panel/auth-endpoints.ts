import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { SignedIn } from "./account-schemas.ts";
import { strictObject } from "./schema-helpers.ts";

export const signInOnce = defineEndpoint({
  id: "signInOnce",
  method: "POST",
  path: "/api/auth/once",
  summary: "Sign in with the token of a one-time link, such as the one printed at the first start",
  description: "The token works once. Sets the session cookie.",
  auth: null,
  body: strictObject({
    token: Type.String({ minLength: 1, maxLength: 200, description: "the part of the link after #" }),
  }),
  answers: { 200: { description: "a new session", schema: SignedIn, headers: { "Set-Cookie": "the session" } } },
  problems: [
    "validation_failed",
    "invalid_json",
    "too_large",
    "unsupported_media_type",
    "unauthenticated",
    "rate_limited",
    "csrf_failed",
  ],
});
