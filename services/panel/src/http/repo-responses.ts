import type { SettingsPatch } from "@triptych/contracts";
import { isBelow } from "../domain/isolation.ts";
import type { Repositories } from "../domain/repositories.ts";
import type { Panel } from "../domain/panel.ts";
import { type ConnectedCapacity, readQueueSnapshot } from "../queue/view.ts";
import type { RepoRecord } from "../domain/records.ts";
import { DomainError } from "../domain/domain-error.ts";
import type { Caller } from "./caller.ts";
import { repoShape } from "./response-mappers.ts";

export const MONTH_MS = 30 * 86_400_000;

export function refuseWeakIsolation({ allows: { isolationMin } }: Panel, isolation: SettingsPatch["isolation"]): void {
  const requested = isolation?.level_required;
  if (requested == null || !isBelow(requested, isolationMin)) return;
  throw new DomainError("isolation_below_minimum", { members: { minimum: isolationMin, requested } });
}

export function etag({ revision }: Pick<RepoRecord, "revision">): string {
  return `"${revision}"`;
}

export async function withStats(panel: Panel, { repos }: Repositories, repo: RepoRecord, connected: ConnectedCapacity) {
  const now = panel.now();
  return repoShape(repo, { now, connected, stats: (await repos.stats([repo.id], now - MONTH_MS)).get(repo.id) });
}

/** Read outside a transaction, which blocks the only writer. */
export function connectedCapacity(panel: Panel, { account: { id: owner } }: Caller): Promise<ConnectedCapacity> {
  return readQueueSnapshot(panel, { owner, repositories: panel.store.of(owner) });
}
