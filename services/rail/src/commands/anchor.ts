/** The anchor file of `audit --anchor`: one signed page per line, written and checked one page at a time. */
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Client } from "@triptych/client";
import { adminCheckAnchor, adminReadAnchor, getJwks, getRevokedKeys, type AnswerOf } from "@triptych/contracts";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { ANCHOR_TYPE, headsDigest } from "../domain/anchor.ts";
import { verifySigned, type PublishedKey } from "../domain/verify-signed.ts";
import { keysOf } from "@triptych/client/receipt.js";

const Page = Type.Object({ page: Type.String(), heads: Type.Array(Type.String()) });
const Claims = Type.Object({
  after: Type.String(),
  next: Type.Union([Type.String(), Type.Null()]),
  newest: Type.Union([Type.String(), Type.Null()]),
  wallets: Type.Integer(),
  heads: Type.String(),
});

export interface AnchorIssue {
  readonly walletId: string;
  readonly message: string;
}

export interface AnchorCheck {
  readonly wallets: number;
  /** Time of the newest entry when the anchor was written. */
  readonly newest: string | null;
  readonly issues: readonly AnchorIssue[];
}

const ISSUES_MAX = 1_000;

export async function anchorExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}

/** Replaces the file once the new one is complete. Returns the number of wallets in it. */
export async function writeAnchor(client: Client, file: string): Promise<number> {
  const part = `${file}.part`;
  let wallets = 0;
  try {
    await using output = await open(part, "w", 0o600);
    let after: string | null = "";
    while (after !== null) {
      const found = await readPageAfter(client, after);
      await output.write(`${JSON.stringify({ page: found.page, heads: found.heads })}\n`);
      wallets += found.heads.length;
      after = found.next;
    }
    await output.sync();
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await rename(part, file);
  return wallets;
}

async function readPageAfter(client: Client, after: string): Promise<AnswerOf<typeof adminReadAnchor>> {
  const { body } = await client.call(adminReadAnchor, { query: after === "" ? {} : { after } });
  return body;
}

/** The rail's own keys, including retired and revoked ones. */
export async function publishedKeys(client: Client): Promise<readonly PublishedKey[]> {
  const documents = [await client.call(getJwks, {}), await client.call(getRevokedKeys, {})];
  return keysOf(documents.map(({ body }) => body));
}

/** Throws an Error with a readable message if the file is forged, changed or truncated. */
export async function checkAnchor(client: Client, file: string, keys: readonly PublishedKey[]): Promise<AnchorCheck> {
  const issues: AnchorIssue[] = [];
  let wallets = 0;
  let newest: string | null = null;
  let expected: string | null = "";
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line === "") continue;
    number += 1;
    const { claims, heads } = readPage(line, { name: `page ${number} of ${file}`, keys });
    if (claims.after !== expected) throw new Error(`Page ${number} of ${file} does not continue the previous page.`);
    expected = claims.next;
    newest = later(newest, claims.newest);
    wallets += heads.length;
    if (heads.length === 0) continue;
    const { body } = await client.call(adminCheckAnchor, { body: { heads: [...heads] } });
    for (const { wallet_id, message } of body.issues)
      if (issues.length < ISSUES_MAX) issues.push({ walletId: wallet_id, message });
  }
  if (number === 0 || expected !== null) throw new Error(`The anchor ${file} is truncated: its last page is missing.`);
  return { wallets, newest, issues };
}

/** Both timestamps have the same format, so they can be compared as strings. */
function later(one: string | null, other: string | null): string | null {
  return (one ?? "") > (other ?? "") ? one : other;
}

function readPage(line: string, { name, keys }: { readonly name: string; readonly keys: readonly PublishedKey[] }) {
  try {
    const value: unknown = JSON.parse(line);
    if (!Value.Check(Page, value)) throw new Error("not an anchor page");
    const claims = verifySigned(value.page, ANCHOR_TYPE, keys);
    if (!Value.Check(Claims, claims)) throw new Error("invalid claims");
    if (claims.heads !== headsDigest(value.heads)) throw new Error("the heads differ from the signed ones");
    return { claims, heads: value.heads };
  } catch (cause) {
    throw new Error(`Invalid anchor: ${name}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}
