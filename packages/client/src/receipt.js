/**
 * Verifies a receipt with the published keys. Uses WebCrypto only and sends no request. This file is JavaScript without
 * imports, so that pages can use it without a bundler. It rejects non-canonical base64url, so that no altered text
 * passes.
 */

/**
 * @typedef {object} PublicKey
 * @property {string} kid
 * @property {string} x public point, base64url
 * @property {string | null} notAfter time of the compromise: receipts issued from then on are invalid; null if the key is not compromised
 */

/**
 * @typedef {object} Claims
 * @property {string} iss address of the rail
 * @property {string} sub wallet
 * @property {string} jti charge or purchase
 * @property {number} iat seconds
 * @property {string} op
 * @property {number} qty
 * @property {string} price
 * @property {number} amt
 * @property {string} cur
 * @property {number} exp10
 * @property {number} bal
 * @property {number} seq
 * @property {string} prev
 * @property {string} [req]
 * @property {string} [res]
 * @property {string} [idk]
 * @property {string} [tok] sub-token that paid; absent for the main token
 */

/** @typedef {"malformed" | "key_unknown" | "signature_invalid" | "key_revoked"} ReceiptErrorCode */

/** @typedef {{ good: true, claims: Claims, kid: string } | { good: false, error: ReceiptErrorCode, reason: string }} Verdict */

const ALGORITHMS = ["EdDSA", "Ed25519"];
const TYPE = "rail-receipt+jwt";
const CLAIMS = {
  iss: "string",
  sub: "string",
  jti: "string",
  iat: "number",
  op: "string",
  qty: "number",
  price: "string",
  amt: "number",
  cur: "string",
  exp10: "number",
  bal: "number",
  seq: "number",
  prev: "string",
};

/** False without WebCrypto (a page over plain HTTP) or without Ed25519. */
export async function canVerify() {
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), "Ed25519", false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

/**
 * The keys of published documents: `jwks.json`, `revoked-keys.json`, or both. Skips keys that are not Ed25519.
 * @param {readonly unknown[]} documents
 * @returns {PublicKey[]}
 */
export function keysOf(documents) {
  return documents.flatMap((document) => {
    const keys = isRecord(document) && Array.isArray(document["keys"]) ? document["keys"] : [];
    return keys.flatMap((/** @type {unknown} */ key) => {
      if (!isRecord(key)) return [];
      const jwk = isRecord(key["jwk"]) ? key["jwk"] : key;
      const { kty, crv, x } = jwk;
      const kid = key["kid"] ?? jwk["kid"];
      if (kty !== "OKP" || crv !== "Ed25519" || typeof x !== "string" || typeof kid !== "string") return [];
      return [{ kid, x, notAfter: typeof key["not_after"] === "string" ? key["not_after"] : null }];
    });
  });
}

/**
 * @param {string} receipt compact JWS
 * @param {readonly PublicKey[]} keys
 * @returns {Promise<Verdict>}
 */
export async function verifyReceipt(receipt, keys) {
  const parts = receipt.split(".");
  const [header, payload, signature] = parts.map(decode);
  if (parts.length !== 3 || !header || !payload || !signature)
    return bad("malformed", "Not a receipt: a receipt has three base64url parts, separated by dots.");
  const head = parse(header);
  const kid = head?.["kid"];
  if (head?.["typ"] !== TYPE || !ALGORITHMS.includes(String(head["alg"])) || typeof kid !== "string")
    return bad("malformed", "Not a receipt of a rail: the header has another type or algorithm.");

  const found = keys.filter((key) => key.kid === kid);
  if (found.length === 0) return bad("key_unknown", `The key ${kid} is not published.`);
  const signed = new TextEncoder().encode(parts.slice(0, 2).join("."));
  if (!(await isSigned(signed, { signature, kid, x: found[0].x })))
    return bad(
      "signature_invalid",
      "The signature does not match: the receipt was modified, or not signed by this rail.",
    );

  const claims = parse(payload);
  if (claims === null || !isClaims(claims))
    return bad("malformed", "The signature matches, but the claims are not those of a receipt.");
  const revoked = found.find(({ notAfter }) => notAfter !== null);
  // A date that cannot be parsed also makes the receipt invalid.
  if (revoked?.notAfter != null && !(claims.iat * 1000 < Date.parse(revoked.notAfter)))
    return bad("key_revoked", `The signing key was compromised: signatures from ${revoked.notAfter} on are invalid.`);
  return { good: true, claims, kid };
}

/** `req` of a request. @param {{ method: string, path: string, body: unknown }} request */
export function requestDigest({ method, path, body }) {
  return digest(new TextEncoder().encode(`${method}\n${path}\n${canonical(body)}`));
}

/** `res` of the response bytes: SHA-256, base64url. @param {Uint8Array<ArrayBuffer>} bytes */
export async function digest(bytes) {
  return encode(await bytesDigest(bytes));
}

/** SHA-256. @param {Uint8Array<ArrayBuffer>} bytes */
export async function bytesDigest(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** @param {ReceiptErrorCode} error @param {string} reason @returns {Verdict} */
function bad(error, reason) {
  return { good: false, error, reason };
}

/**
 * The `kid` must be the thumbprint of the key (RFC 7638); otherwise it names another key.
 * @param {Uint8Array<ArrayBuffer>} signed
 * @param {{ signature: Uint8Array<ArrayBuffer>, kid: string, x: string }} by
 */
export async function isSigned(signed, { signature, kid, x }) {
  const members = new TextEncoder().encode(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  if ((await digest(members)) !== kid) return false;
  const point = decode(x);
  if (point === null || point.length !== 32) return false;
  const key = await crypto.subtle.importKey("raw", point, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, signed);
}

/** @param {Record<string, unknown>} claims @returns {claims is Record<string, unknown> & Claims} */
function isClaims(claims) {
  const optional = [claims["req"], claims["res"], claims["idk"], claims["tok"]];
  return (
    Object.entries(CLAIMS).every(([name, type]) => typeof claims[name] === type) &&
    optional.every((claim) => claim === undefined || typeof claim === "string")
  );
}

/** RFC 8785, for JSON values. @param {unknown} value @returns {string} */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

/** @param {Uint8Array<ArrayBuffer>} bytes @returns {Record<string, unknown> | null} */
function parse(bytes) {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null for invalid or non-canonical base64url. @param {string} text @returns {Uint8Array<ArrayBuffer> | null} */
function decode(text) {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return null;
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
    character.charCodeAt(0),
  );
  return encode(bytes) === text ? bytes : null;
}

/** Base64url without padding. @param {Uint8Array} bytes */
export function encode(bytes) {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
