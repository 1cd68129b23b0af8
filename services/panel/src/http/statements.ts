import type * as contract from "@triptych/contracts";
import type { RequestHandler } from "@triptych/server";
import { orNotFound } from "../domain/domain-error.ts";
import type { Panel } from "../domain/panel.ts";
import { mayRead, type Caller } from "./caller.ts";
import { mapDomainErrors } from "./transactional.ts";

export function getRunStatementHandler(
  panel: Pick<Panel, "now" | "store">,
): RequestHandler<typeof contract.getRunStatement, Caller> {
  return ({ caller, params, reply }) =>
    mapDomainErrors(panel, async () => {
      const { runs, statements } = panel.store.of(caller.account.id);
      orNotFound(await runs.find(params.id), "run");
      mayRead(caller);
      const envelope = orNotFound(await statements.find(params.id), "statement");
      // Sends the stored text, because serializing it again could change its bytes.
      return reply.type("application/json; charset=utf-8").send(envelope);
    });
}

/** Public, because verifiers have no account. */
export function getStatementKeysHandler({
  statementKeys,
}: Pick<Panel, "statementKeys">): RequestHandler<typeof contract.getStatementKeys, Caller> {
  return async ({ reply }) => {
    const keys = await statementKeys.published();
    reply.headers({ "Cache-Control": "public, max-age=3600", "Access-Control-Allow-Origin": "*" });
    reply.removeHeader("Pragma").removeHeader("Expires");
    return { keys: [...keys] };
  };
}
