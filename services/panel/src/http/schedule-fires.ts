import type * as contract from "@triptych/contracts";
import type { ValidatingHandler } from "@triptych/server";
import type { Panel } from "../domain/panel.ts";
import { orNotFound } from "../domain/domain-error.ts";
import { mayRead, type Caller } from "./caller.ts";
import { mapDomainErrors } from "./transactional.ts";
import { pageOf, readPage } from "./cursors.ts";
import { fireShape } from "./response-mappers.ts";

export function listFiresHandler(panel: Panel): ValidatingHandler<typeof contract.listFires, Caller> {
  return {
    handle({ caller, params, query }, errors) {
      const page = readPage(query, errors);
      errors.refuse();
      return mapDomainErrors(panel, async () => {
        const { repos, schedules } = panel.store.of(caller.account.id);
        orNotFound(await repos.find(params.id), "repo");
        mayRead(caller);
        const { records, next_cursor } = pageOf(await schedules.fires(params.id, query, page), page);
        return { items: records.map(fireShape), next_cursor };
      });
    },
  };
}
