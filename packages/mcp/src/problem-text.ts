/** Turns errors of a call into text for the model: what happened, every issue, and what to do next. */
import { ProblemError } from "@triptych/client";
import { problems, type ValidationIssue } from "@triptych/contracts";
import type { ServiceAccess } from "./services.ts";

export function toErrorText(error: unknown, service: Omit<ServiceAccess, "client">): string {
  if (error instanceof ProblemError) return problemText(error, service);
  if (error instanceof Error && error.name === "TimeoutError")
    return `The ${service.title} did not respond in time. Try again later.`;
  return `The ${service.title} is unreachable at ${service.url} (${reasonOf(error)}). Start it, or set ${service.variable}.`;
}

/** A request can have a thousand issues. */
const ISSUES_MAX = 50;
const DETAILS_MAX = 8_000;

function problemText(
  error: ProblemError,
  { title, credentialVariable }: Pick<ServiceAccess, "title" | "credentialVariable">,
): string {
  const { status, code, errors, body, retryAfter } = error;
  const lines = [
    `The ${title} responded with ${status} ${code}${body.title === undefined ? "" : ` (${body.title})`}.`,
    error.message,
    ...errors.slice(0, ISSUES_MAX).map(issueText),
    ...remedyOf(error, credentialVariable),
    ...detailsOf(body),
  ];
  if (errors.length > ISSUES_MAX) lines.push(`${errors.length - ISSUES_MAX} more issues are not listed.`);
  if (retryAfter !== null) lines.push(`Retry after ${retryAfter} seconds.`);
  return lines.join("\n");
}

const STANDARD = new Set(["type", "title", "status", "code", "detail", "instance", "request_id", "errors", "error"]);

/** Additional members of the problem, such as the purchase to make or the nearest slugs. */
function detailsOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const members = Object.entries(body).filter(([name]) => !STANDARD.has(name));
  return members.length === 0 ? [] : [`Details: ${JSON.stringify(Object.fromEntries(members)).slice(0, DETAILS_MAX)}`];
}

/** Some messages already contain the allowed values and suggestions. */
function issueText({ path, message, allowed = [], suggestions = [] }: ValidationIssue): string {
  const isNew = (values: readonly string[]) => values.length > 0 && !values.every((value) => message.includes(value));
  const accepted = isNew(allowed) ? ` Allowed: ${allowed.join(", ")}.` : "";
  const near = isNew(suggestions) ? ` Did you mean: ${suggestions.join(", ")}?` : "";
  return `- ${path === "" ? "body" : path}: ${message}${accepted}${near}`;
}

/** For these, the catalog explanation would not help: it describes the response, or a path that this server chose. */
const SELF_EXPLANATORY = new Set(["validation_failed", "not_found"]);

function remedyOf({ status, code, body, message }: ProblemError, credentialVariable: string): readonly string[] {
  const entry = Object.hasOwn(problems, code) ? problems[code as keyof typeof problems] : undefined;
  const isNew = entry !== undefined && !SELF_EXPLANATORY.has(code) && !message.includes(entry.explanation);
  const lines = isNew ? [`What to do: ${entry.explanation}`] : [];
  // All of these mean that a credential is missing or invalid, whatever the status.
  if (status === 401 || code === "wallet_required" || code === "wallet_unknown")
    lines.push(`The user sets ${credentialVariable}, or sends the credential with the HTTP request.`);
  else if (status === 402) lines.push(...paymentOf(body));
  else if (code === "cap_reached") lines.push(waitOf(body));
  return lines;
}

/** Caps per charge and in total do not reset. */
function waitOf({ cap, owner, resets_at: resetsAt }: Readonly<Record<string, unknown>>): string {
  const which = `The ${String(cap)} cap of the ${String(owner)}`;
  return typeof resetsAt === "string"
    ? `${which} resets at ${resetsAt}. Do not retry before then; only the owner of the wallet can raise it earlier.`
    : `${which} does not reset. Do not retry; only the owner of the wallet can raise it.`;
}

/** `pay` of the gateway's response names the request to the rail. */
function paymentOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { pay } = body;
  if (typeof pay !== "object" || pay === null || !("url" in pay)) return [];
  return [
    `To pay: POST ${String(pay.url)} as described above, with the wallet token in X-Rail-Wallet.`,
    "Ask the user first. The response of a top-up can contain a checkout_url, where a person pays.",
  ];
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}
