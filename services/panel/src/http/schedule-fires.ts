/** What became of the times of a repo's schedules. */
import type * as contract from "@triptych/contracts";
import type { CarefulHandler } from "@triptych/server";
import type { Panel } from "../domain/panel.ts";
import { found } from "../domain/domain-error.ts";
import { mayRead, type Caller } from "./caller.ts";
import { refusing } from "./transactional.ts";
import { pageOf, readPage } from "./cursors.ts";
import { fireShape } from "./response-mappers.ts";

export function listFiresHandler(panel: Panel): CarefulHandler<typeof contract.listFires, Caller> {
  return {
    careful({ caller, params, query }, faults) {
      const page = readPage(query, faults);
      faults.refuse();
      return refusing(panel, async () => {
        const { repos, schedules } = panel.store.of(caller.account.id);
        found(await repos.find(params.id), "repo");
        mayRead(caller);
        const { records, next_cursor } = pageOf(await schedules.fires(params.id, query, page), page);
        return { items: records.map(fireShape), next_cursor };
      });
    },
  };
}
