import type * as contract from "@triptych/contracts";
import type { RequestHandler } from "@triptych/server";
import type { Panel } from "../domain/panel.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { isOpen, newCheck } from "../domain/repo-checks.ts";
import { mayWrite, type Caller } from "./caller.ts";
import { inTransaction } from "./transactional.ts";
import { connectedHands, withStats } from "./repo-responses.ts";

export function checkRepoHandler(panel: Panel): RequestHandler<typeof contract.checkRepo, Caller> {
  return async (context) => {
    const connected = await connectedHands(panel, context.caller);
    return inTransaction(panel, context, async (repositories) => {
      const { caller, params } = context;
      const repo = orNotFound(await repositories.repos.find(params.id), "repo");
      mayWrite(caller);
      const present = await repositories.checks.find(repo.id);
      if (present === null || !isOpen(present))
        await repositories.checks.save(newCheck(repo, { id: panel.newId("chk"), now: panel.now() }));
      return { status: 202, body: await withStats(panel, repositories, repo, connected) };
    });
  };
}
