/** Stores memories that agents propose. They stay pending until a person reviews them. */
import { globIssue } from "@triptych/change-policy";
import { MEMORY_KINDS, MEMORY_TEXT_MAX } from "@triptych/contracts";
import type { Redactor } from "@triptych/redaction";
import type { Repositories } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";
import type { BusItem, MemoryRecord, RunRecord } from "../domain/records.ts";
import type { ChannelContext } from "./channel-context.ts";

/** At most a quarter of a repo's memories may be pending. */
const PENDING_PART = 4;
const SCOPE_MAX = 200;

/** Skips duplicates and proposals above the limit; all of them stay readable on the bus. */
export async function proposeMemories(
  { newId, timers }: Pick<ChannelContext, "newId" | "timers">,
  { memories, account }: Pick<Repositories, "memories" | "account">,
  {
    run,
    proposals,
    redactor,
  }: { readonly run: RunRecord; readonly proposals: readonly BusItem[]; readonly redactor: Redactor },
): Promise<void> {
  const { repoId } = run;
  const most = PLAN_TERMS[(await account.read()).plan].memoriesPerRepo;
  for (const { text, data } of proposals) {
    const proposed = redactor.text(text).trim().slice(0, MEMORY_TEXT_MAX);
    const normalised = normalizedText(proposed);
    if (proposed === "" || (await memories.withText(repoId, normalised)) !== null) continue;
    const pendingMax = Math.floor(most / PENDING_PART);
    const pending = await memories.list(repoId, { status: "pending" }, { below: null, limit: pendingMax });
    if (pending.length >= pendingMax || (await memories.count(repoId)) >= most) return;
    await memories.add({
      id: newId("mem"),
      repoId,
      text: proposed,
      normalised,
      createdAt: timers.now(),
      ...aboutOf(data, redactor),
      ...WAITING,
    });
  }
}

const WAITING = { source: "agent", status: "pending", pinned: false, hits: 0, lastUsedAt: null } as const;

function aboutOf({ kind, scope }: BusItem["data"], redactor: Redactor): Pick<MemoryRecord, "kind" | "scope"> {
  const isScope = typeof scope === "string" && scope.length <= SCOPE_MAX && globIssue(scope) === null;
  return {
    kind: MEMORY_KINDS.find((candidate) => candidate === kind) ?? "convention",
    scope: isScope ? redactor.text(scope) : null,
  };
}

function normalizedText(text: string): string {
  return text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}
