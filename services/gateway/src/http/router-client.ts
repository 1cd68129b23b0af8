/**
 * Forwards a call to a router and checks the response. Client errors become problems of the gateway, with its
 * addresses. Router errors and rejected credentials become 502 without details.
 */
import { problems, type Endpoint, type ValidationIssue, type ProblemCode } from "@triptych/contracts";
import { Problem } from "@triptych/server";
import { isRecord } from "@triptych/util";
import type { FastifyRequest } from "fastify";
import type { RouterAnswer, Routers } from "../domain/routers.ts";
import { routerFailed, routerUnavailable } from "./payment-errors.ts";
import { queryOf } from "./caller.ts";

export interface Question {
  readonly request: FastifyRequest;
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, unknown>>;
  readonly owner: string;
  /** The call changes nothing and takes milliseconds. */
  readonly isSafe: boolean;
  readonly more?: Readonly<Record<string, string>>;
}

export type Answered = Extract<RouterAnswer, { readonly kind: "answered" }>;

/** Headers forwarded to the router unchanged. */
const PASSED = ["prefer", "idempotency-key", "if-none-match", "accept"] as const;

/** Throws a Problem if there is no response, or if it must not reach the caller. Returns the router's 4xx responses. */
export async function askRouter(routers: Routers, question: Question): Promise<Answered> {
  const { request, endpoint, params, isSafe } = question;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const target = path + queryOf(request);
  const answer = await routers.ask({
    method: endpoint.method,
    target,
    route: endpoint.path,
    headers: headersOf(question),
    body: request.bodyBytes,
    isSafe,
  });
  if (answer.kind === "unavailable") throw routerUnavailable();
  const { status } = answer;
  if (isOfAnother(answer, request.id)) throw routerFailed("the router response belongs to another request");
  if (status >= 500 || status < 200 || GATEWAY_FAULTS.has(codeOf(answer)))
    throw routerFailed(`the router returned ${status} ${codeOf(answer)}`);
  return answer;
}

/** True for a response with another request's ID (a mixed-up connection), which must never be delivered or charged. */
function isOfAnother({ headers }: Answered, id: string): boolean {
  const answeredId = headers["x-request-id"];
  return answeredId !== undefined && answeredId !== id;
}

/** Router rejections that the gateway's own request causes, not the caller's. */
const GATEWAY_FAULTS = new Set(["token_invalid", "router_token_required", "not_found", "method_not_allowed"]);

function headersOf({ request, owner, more }: Question): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": request.id, "x-router-owner": owner, ...more };
  if (request.bodyBytes !== null) headers["content-type"] = "application/json";
  for (const name of PASSED) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}

/** Converts the router's rejection to a problem of the gateway; null for a success. */
export function toProblem(answer: Answered): Problem | null {
  if (answer.status < 400) return null;
  const {
    type: _type,
    title: _title,
    status: _status,
    instance: _instance,
    request_id: _id,
    ...problem
  } = jsonOf(answer);
  const { code, detail, error: _error, ...members } = problem;
  if (!isProblemCode(code)) throw routerFailed(`the router returned status ${answer.status} without a problem code`);
  const retry = answer.headers["retry-after"];
  return new Problem(code, {
    ...(typeof detail === "string" && { detail }),
    members,
    headers: typeof retry === "string" ? { "Retry-After": retry } : {},
  });
}

export function isUpstreamError(answer: Answered): boolean {
  return answer.status === 422 && Array.isArray(jsonOf(answer)["detail"]);
}

/** The router's validation issues, from either wire format. */
export function issuesOf(answer: Answered): readonly ValidationIssue[] {
  if (answer.status < 400) return [];
  const { errors, detail } = jsonOf(answer);
  if (Array.isArray(errors)) return errors.filter(isValidationIssue);
  return Array.isArray(detail) ? detail.filter(isForeignFault).map(nativeFault) : [];
}

interface ForeignFault {
  readonly loc: readonly unknown[];
  readonly msg: string;
  readonly type: string;
}

function nativeFault({ loc, msg, type }: ForeignFault): ValidationIssue {
  const [location, ...names] = loc;
  const path = location === "query" ? `?${names.join("")}` : names.map((name) => `/${String(name)}`).join("");
  return { path, message: msg, reason: type };
}

function isValidationIssue(value: unknown): value is ValidationIssue {
  return isRecord(value) && ["path", "message", "reason"].every((name) => typeof value[name] === "string");
}

function isForeignFault(value: unknown): value is ForeignFault {
  return isRecord(value) && Array.isArray(value["loc"]) && typeof value["msg"] === "string";
}

export function jsonOf({ body }: Pick<Answered, "body">): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function codeOf(answer: Answered): string {
  const code = answer.status < 400 ? null : jsonOf(answer)["code"];
  return typeof code === "string" ? code : "";
}

function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === "string" && Object.hasOwn(problems, code);
}
