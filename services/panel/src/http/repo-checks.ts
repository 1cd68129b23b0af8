/** Starts a check of a repo's commands. */
import type * as contract from "@triptych/contracts";
import type { RequestHandler } from "@triptych/server";
import type { Panel } from "../domain/panel.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { isOpen, newCheck } from "../domain/repo-checks.ts";
import { mayWrite, type Caller } from "./caller.ts";
import { inTransaction } from "./transactional.ts";
import { connectedHands, withStats } from "./repo-responses.ts";

export function checkRepoHandler(panel: Panel): RequestHandler<typeof contract.checkRepo, Caller> {
  return async (exchange) => {
    const connected = await connectedHands(panel, exchange.caller);
    return inTransaction(panel, exchange, async (books) => {
      const { caller, params } = exchange;
      const repo = orNotFound(await books.repos.find(params.id), "repo");
      mayWrite(caller);
      const present = await books.checks.find(repo.id);
      if (present === null || !isOpen(present))
        await books.checks.save(newCheck(repo, { id: panel.newId("chk"), now: panel.now() }));
      return { status: 202, body: await withStats(panel, books, repo, connected) };
    });
  };
}
