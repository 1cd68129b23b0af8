import type * as contract from "@triptych/contracts";
import type { RequestHandler, ValidatingHandler } from "@triptych/server";
import type { Panel } from "../domain/panel.ts";
import { PLAN_TERMS, planAllowing } from "../domain/plans.ts";
import type { MemoryRecord } from "../domain/records.ts";
import { orNotFound, DomainError } from "../domain/domain-error.ts";
import { mayRead, mayWrite, type Caller } from "./caller.ts";
import { inTransaction, mapDomainErrors } from "./transactional.ts";
import { pageOf, readPage } from "./cursors.ts";
import { memoryShape } from "./response-mappers.ts";

export function listMemoriesHandler(panel: Panel): ValidatingHandler<typeof contract.listMemories, Caller> {
  return {
    handle({ caller, params, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, async () => {
        const { repos, memories } = panel.store.of(caller.account.id);
        orNotFound(await repos.find(params.id), "repo");
        mayRead(caller);
        const { records, next_cursor } = pageOf(await memories.list(params.id, query, page), page);
        return { items: records.map(memoryShape), next_cursor };
      });
    },
  };
}

export function addMemoryHandler(panel: Panel): RequestHandler<typeof contract.addMemory, Caller> {
  return (context) =>
    inTransaction(panel, context, async ({ repos, memories }) => {
      const { caller, params, body } = context;
      orNotFound(await repos.find(params.id), "repo");
      mayWrite(caller);
      const memory = newMemory(panel, params.id, body);
      const twin = await memories.withText(params.id, memory.normalised);
      if (twin !== null) return { status: 200, body: memoryShape(twin) };
      const [current, limit] = [await memories.count(params.id), PLAN_TERMS[caller.account.plan].memoriesPerRepo];
      const required_plan = planAllowing("memoriesPerRepo", current);
      if (current >= limit)
        throw new DomainError("quota_exceeded", { status: 403, members: { limit, current, required_plan } });
      await memories.add(memory);
      const Location = `/api/repos/${params.id}/memories/${memory.id}`;
      return { status: 201, body: memoryShape(memory), headers: { Location } };
    });
}

function newMemory(panel: Panel, repoId: string, body: contract.BodyOf<typeof contract.addMemory>): MemoryRecord {
  const { text, kind = NEW.kind, pinned = NEW.pinned, scope = null } = body;
  const normalised = text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
  const about = { kind, pinned, scope, source: "user", status: NEW.status, hits: 0, lastUsedAt: null } as const;
  return { id: panel.newId("mem"), repoId, text: text.trim(), normalised, ...about, createdAt: panel.now() };
}

export function updateMemoryHandler(panel: Panel): RequestHandler<typeof contract.updateMemory, Caller> {
  return (context) =>
    inTransaction(panel, context, async ({ repos, memories }) => {
      const { caller, params, body } = context;
      orNotFound(await repos.find(params.id), "memory");
      const memory = orNotFound(await memories.find(params.id, params.mid), "memory");
      mayWrite(caller);
      const changed = { ...memory, ...settled(body) };
      await memories.save(changed);
      return { status: 200, body: memoryShape(changed) };
    });
}

const NEW = { kind: "convention", pinned: false, status: "active" } as const;

/** Null restores the default; a null scope means no scope. */
function settled(patch: contract.BodyOf<typeof contract.updateMemory>): Partial<MemoryRecord> {
  const { kind, pinned, status, scope } = patch;
  return {
    ...(kind !== undefined && { kind: kind ?? NEW.kind }),
    ...(pinned !== undefined && { pinned: pinned ?? NEW.pinned }),
    ...(status !== undefined && { status: status ?? NEW.status }),
    ...(scope !== undefined && { scope }),
  };
}

export function deleteMemoryHandler(panel: Panel): RequestHandler<typeof contract.deleteMemory, Caller> {
  return (context) =>
    inTransaction(panel, context, async ({ repos, memories }) => {
      const { caller, params } = context;
      orNotFound(await repos.find(params.id), "memory");
      orNotFound(await memories.find(params.id, params.mid), "memory");
      mayWrite(caller);
      await memories.remove(params.id, params.mid);
      return { status: 204 };
    });
}
