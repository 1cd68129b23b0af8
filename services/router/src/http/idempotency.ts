/** Hashes the `Idempotency-Key` and body of a create call, so the store contains neither key nor texts. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import type { Once } from "../domain/heads/head-store.ts";

const RETENTION_MS = 24 * 3_600_000;

export function idempotencyKeyOf(key: string | null, body: unknown, now: number): Once | null {
  if (key === null) return null;
  return { key: digestOf(key), payload: digestOf(canonicalJson(body)), expiresAt: now + RETENTION_MS };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
