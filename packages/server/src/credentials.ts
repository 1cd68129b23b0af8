/** Extracts credentials from every location that the contract allows. The service resolves them to a caller. */
import type { CredentialSource } from "@triptych/contracts";
import { parseCookie } from "cookie";
import type { FastifyRequest } from "fastify";

/** All distinct credentials, in the order of the sources. */
export function readCredentials(request: FastifyRequest, carriers: readonly CredentialSource[]): string[] {
  const found: string[] = [];
  for (const carrier of carriers) {
    for (const credential of presentedBy(request, carrier)) if (!found.includes(credential)) found.push(credential);
  }
  return found;
}

const NONE: readonly string[] = [];

const BEARER = /^bearer +(\S+) *$/i;

function presentedBy(request: FastifyRequest, carrier: CredentialSource): readonly string[] {
  switch (carrier.in) {
    case "bearer":
      return bearerTokens(request);
    case "header":
      return headerValues(request.headers[(carrier.name ?? "").toLowerCase()]);
    case "query":
      return values((request.query as Record<string, unknown>)[carrier.name ?? ""]);
    case "cookie":
      return values(parseCookie(request.headers.cookie ?? "")[carrier.name ?? ""]);
  }
}

const NAME = "authorization";

/** Reads raw headers: Node drops all but the first `Authorization`, and a second, different token must be detected. */
function bearerTokens({ headers: { authorization }, raw: { rawHeaders } }: FastifyRequest): readonly string[] {
  if (authorization === undefined) return NONE;
  const found: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at].length !== NAME.length || rawHeaders[at].toLowerCase() !== NAME) continue;
    const token = BEARER.exec(rawHeaders[at + 1])?.[1];
    if (token !== undefined) found.push(token);
  }
  return found;
}

function headerValues(found: string | string[] | undefined): readonly string[] {
  return found === undefined ? NONE : values(found).flatMap(ofJoined);
}

/** Credentials contain no comma, so a comma means that Node joined two headers with the same name. */
function ofJoined(field: string): readonly string[] {
  return field.includes(",") ? field.split(/, */).filter((part) => part !== "") : [field];
}

function values(found: unknown): readonly string[] {
  if (found === undefined) return NONE;
  return (Array.isArray(found) ? found : [found]).filter(
    (value): value is string => typeof value === "string" && value !== "",
  );
}
