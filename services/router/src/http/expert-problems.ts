/** Problems about experts: unknown experts, and routes that an expert does not have. */
import { nearest, Problem } from "@triptych/server";
import type { Candidates, UnknownRoutes } from "../domain/candidates.ts";
import type { Expert, InvalidHead } from "../domain/experts.ts";
import { createHash } from "node:crypto";
import { canonicalJson } from "@triptych/contracts";
import type { Once } from "../domain/heads/head-store.ts";

/** Returns the candidates, or null if the caller defines the routes. Throws a Problem. */
export function expertsOf(candidates: Candidates): readonly Expert[] | null {
  switch (candidates.found) {
    case "experts":
      return candidates.experts;
    case "vocabulary":
      return null;
    case "no_expert":
      throw expertNotFound(candidates.name, candidates.existing);
    case "not_usable":
      throw notUsable(candidates.why);
    case "unknown_routes":
      throw optionUnknown(candidates);
  }
}

export function expertNotFound(name: string, existing: readonly string[]): Problem {
  return new Problem("expert_not_found", { members: { suggestions: nearest(name, existing, 3) } });
}

export function notUsable({ unusable, state }: InvalidHead): Problem {
  return new Problem(unusable, { members: { state } });
}

function optionUnknown({ indexes, labels, existing }: UnknownRoutes): Problem {
  const errors = indexes.map((index) => {
    const suggestions = nearest(labels[index], existing, 1);
    const hint = suggestions.length > 0 ? ` Did you mean \`${suggestions[0]}\`?` : "";
    return {
      path: `/options/${index}`,
      reason: "option_unknown",
      message: `The expert has no route with this name.${hint}`,
      ...(suggestions.length > 0 && { suggestions }),
    };
  });
  const detail =
    errors.length === 1
      ? errors[0].message
      : `The expert does not have ${errors.length} of the routes in \`options\`, listed in \`errors\`.`;
  return new Problem("option_unknown", { detail, members: { errors } });
}

/** Hashes the `Idempotency-Key` and the body of a create call, so that the store contains neither the key nor texts. */
const RETENTION_MS = 24 * 3_600_000;

export function idempotencyKeyOf(key: string | null, body: unknown, now: number): Once | null {
  if (key === null) return null;
  return { key: digestOf(key), payload: digestOf(canonicalJson(body)), expiresAt: now + RETENTION_MS };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
