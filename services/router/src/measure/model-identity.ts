/** Identifies the model: the names in the responses, and what the server reports about the expert. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import type { DecisionAddress } from "../deciding/address.ts";
import type { JudgedRow } from "./figures.ts";

export interface ModelIdentity {
  readonly name: string;
  readonly sha256: string;
}

export async function identifyModel(
  address: DecisionAddress,
  { rows, expert }: { readonly rows: readonly JudgedRow[]; readonly expert: string | null },
): Promise<ModelIdentity> {
  const names = [...new Set(rows.map(({ model }) => model))].toSorted((a, b) => (a < b ? -1 : 1));
  const experts = await described(address, "/v1/experts");
  const found = listOf(experts).filter((entry) => isNamed(entry, expert, names));
  const heads = await Promise.all(found.map((entry) => headOf(address, entry)));
  const models = found.length > 0 ? null : await described(address, "/v1/models");
  const text = canonicalJson({ names, experts: found, heads, models });
  return { name: names.join(", "), sha256: createHash("sha256").update(text).digest("hex") };
}

function isNamed(entry: unknown, expert: string | null, names: readonly string[]): boolean {
  if (!isRecord(entry)) return false;
  const { name, head_id: id } = entry;
  return (
    name === expert || (id !== undefined && id === expert) || names.some((model) => model.endsWith(`/${String(name)}`))
  );
}

/** The digest of a custom head's file; a recalibration changes it too. */
async function headOf(address: DecisionAddress, entry: unknown): Promise<unknown> {
  const id = isRecord(entry) ? entry["head_id"] : undefined;
  if (typeof id !== "string") return null;
  const head = await described(address, `/v1/heads/${encodeURIComponent(id)}`);
  return isRecord(head) ? (head["sha256"] ?? null) : null;
}

/** Null if a third-party server does not have this path. */
async function described({ url, headers }: DecisionAddress, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { Accept: "application/json", ...headers } });
  return response.ok ? await response.json().catch(() => null) : null;
}

function listOf(body: unknown): readonly unknown[] {
  return isRecord(body) && Array.isArray(body["data"]) ? body["data"] : [];
}
