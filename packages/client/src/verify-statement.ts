/**
 * Verifies the signed statement of a run offline, with the panel's published keys. WebCrypto only. Verification is
 * strict (one signature, canonical base64, no additional members), so that no altered envelope passes.
 */
import { IN_TOTO_MEDIA, IN_TOTO_STATEMENT_TYPE, RUN_PREDICATE_PATH, type RunStatement } from "@triptych/contracts";
import { isSigned, keysOf } from "./receipt.js";
import type { ReceiptKeys } from "./verify-receipt.ts";

export type StatementVerdict =
  | { readonly isGood: true; readonly kid: string; readonly statement: RunStatement }
  /** `field`: the path of the first wrong member, such as `signatures[0].sig`. */
  | { readonly isGood: false; readonly field: string; readonly reason: string };

type Members = Readonly<Record<string, unknown>>;

/** `envelope`: the text of `GET /api/runs/{id}/statement`. `jwks`: `/.well-known/jwks.json` of the panel. */
export async function verifyStatement(envelope: string, jwks: ReceiptKeys): Promise<StatementVerdict> {
  const read = readEnvelope(envelope);
  if ("field" in read) return read;
  const { payload, signature, kid } = read;
  const key = keysOf([jwks]).find((candidate) => candidate.kid === kid);
  if (key === undefined) return bad("signatures[0].keyid", `the key ${kid} is not in the key set`);
  const signed = concat(
    new TextEncoder().encode(`DSSEv1 ${IN_TOTO_MEDIA.length} ${IN_TOTO_MEDIA} ${payload.length} `),
    payload,
  );
  if (!(await isSigned(signed, { signature, kid, x: key.x })))
    return bad(
      "signatures[0].sig",
      "the signature does not match: the statement was modified, or signed by another key",
    );
  const statement = parse(payload);
  if (statement === null) return bad("payload", "the signed payload is not a JSON object");
  const issue = statementIssue(statement);
  // The signature proves that a panel wrote it, and the members read here have been checked.
  return issue ?? { isGood: true, kid, statement: statement as unknown as RunStatement };
}

interface ReadEnvelope {
  readonly payload: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  readonly kid: string;
}

type Bad = Extract<StatementVerdict, { readonly isGood: false }>;

function readEnvelope(text: string): ReadEnvelope | Bad {
  const envelope = parseText(text);
  if (envelope === null) return bad("envelope", "not a JSON object");
  const extra = unknownMember(envelope, ["payload", "payloadType", "signatures"]);
  if (extra !== null) return bad(extra, "not a member of a DSSE envelope");
  if (envelope["payloadType"] !== IN_TOTO_MEDIA) return bad("payloadType", `expected ${IN_TOTO_MEDIA}`);
  const payload = decodeBase64(envelope["payload"]);
  if (payload === null) return bad("payload", "not canonical base64");
  const { signatures } = envelope;
  if (!Array.isArray(signatures) || signatures.length !== 1) return bad("signatures", "expected one signature");
  const [entry]: readonly unknown[] = signatures;
  if (!isMembers(entry)) return bad("signatures[0]", "not an object");
  const strange = unknownMember(entry, ["keyid", "sig"]);
  if (strange !== null) return bad(`signatures[0].${strange}`, "not a member of a DSSE signature");
  const { keyid } = entry;
  if (typeof keyid !== "string") return bad("signatures[0].keyid", "not a text");
  const signature = decodeBase64(entry["sig"]);
  if (signature === null) return bad("signatures[0].sig", "not canonical base64");
  return { payload, signature, kid: keyid };
}

/** Checks that a genuine statement is about a run. */
function statementIssue(statement: Members): Bad | null {
  const { _type, subject, predicateType, predicate } = statement;
  if (_type !== IN_TOTO_STATEMENT_TYPE) return bad("_type", `expected ${IN_TOTO_STATEMENT_TYPE}`);
  if (typeof predicateType !== "string" || !predicateType.endsWith(RUN_PREDICATE_PATH))
    return bad("predicateType", `expected an address that ends with ${RUN_PREDICATE_PATH}`);
  if (!isMembers(predicate)) return bad("predicate", "not an object");
  const base: unknown = predicate["base"];
  const commit: unknown = predicate["commit"];
  if (!isMembers(base) || typeof base["sha"] !== "string") return bad("predicate.base.sha", "not a text");
  if (!isMembers(commit) || typeof commit["sha"] !== "string") return bad("predicate.commit.sha", "not a text");
  const [first]: readonly unknown[] = Array.isArray(subject) ? subject : [];
  const digest = isMembers(first) ? first["digest"] : undefined;
  if (!isMembers(digest) || digest["gitCommit"] !== commit["sha"])
    return bad("subject[0].digest.gitCommit", "differs from predicate.commit.sha");
  return null;
}

/** The patch ID in the statement; null if the panel had none. */
export function patchIdOf({ subject }: RunStatement): string | null {
  return subject.map(({ digest }) => digest["gitPatchId"]).find((id) => id !== undefined) ?? null;
}

function bad(field: string, reason: string): Bad {
  return { isGood: false, field, reason };
}

function unknownMember(of: Members, names: readonly string[]): string | null {
  return Object.keys(of).find((name) => !names.includes(name)) ?? null;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseText(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : null;
  } catch {
    return null;
  }
}

function parse(bytes: Uint8Array<ArrayBuffer>): Members | null {
  try {
    return parseText(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Null if the text is not canonical: `atob` ignores white space and excess bits. */
function decodeBase64(text: unknown): Uint8Array<ArrayBuffer> | null {
  if (typeof text !== "string" || !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text))
    return null;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : null;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
