/** Finds the version that a request with `since` compares with. */
import { Problem } from "@triptych/server";
import { resolveSince, type ChangeLog, type SincePoint } from "../domain/changes.ts";
import type { Version } from "../domain/catalogue.ts";
import type { ItemsRequest } from "./read-items-query.ts";

/** The request with `changedAfter` set. 410 when the version of `since` is not stored. */
export async function applySince(request: ItemsRequest, changes: ChangeLog, served: Version): Promise<ItemsRequest> {
  if (request.since === null) return request;
  const stored = await changes.versions();
  const isStored = stored.some(({ id }) => id === served.id);
  const resolved = resolveSince(request.since, isStored ? stored : [...stored, served]);
  if (resolved.outcome === "gone") throw versionGone(request.since, resolved.oldest);
  const time = request.since.kind === "time" ? request.since.at : 0;
  return {
    ...request,
    filters: { ...request.filters, changedAfter: resolved.changedAfter },
    // The version found, or the time when there was none yet.
    echo: { ...request.echo, since: resolved.version?.id ?? new Date(time).toISOString() },
  };
}

function versionGone(point: SincePoint, oldest: Version): Problem {
  const publishedAt = new Date(oldest.publishedAt).toISOString();
  const requested =
    point.kind === "version" ? `Version ${point.id}` : `The version of ${new Date(point.at).toISOString()}`;
  return new Problem("version_gone", {
    detail: `${requested} is not stored. The oldest stored version is ${oldest.id}, published ${publishedAt}. Export everything again.`,
    members: { oldest: { version: oldest.id, published_at: publishedAt } },
  });
}
