import { SUGGEST_LIMIT_DEFAULT, type AnswerOf, type suggest } from "@triptych/contracts";
import type { RequestContext, ValidationErrors } from "@triptych/server";
import type { FastifyReply } from "fastify";
import { readTyped } from "../domain/suggestions.ts";
import { requireCatalogue, type AppContext, type Caller } from "./caller.ts";
import { cacheHeaders, etagOf, isFresh, notModified } from "./etag.ts";
import { sortedSet } from "./read-exclusions.ts";

export function suggestHandler(served: AppContext) {
  return {
    async handle(
      { query, reply, request }: RequestContext<typeof suggest, Caller>,
      errors: ValidationErrors,
    ): Promise<FastifyReply | AnswerOf<typeof suggest>> {
      if (query.q !== undefined && readTyped(query.q).length === 0) errors.add(EMPTY);
      errors.refuse();
      const catalogue = requireCatalogue(served);
      const [types, limit] = [sortedSet(query.type ?? []), query.limit ?? SUGGEST_LIMIT_DEFAULT];
      const headers = cacheHeaders(
        catalogue.version(),
        etagOf(catalogue.version(), ["suggest", query.q, types, limit]),
      );
      if (isFresh(request, headers.etag)) return notModified(reply, headers);
      reply.headers(headers);
      return [...(await catalogue.suggest({ text: query.q, types, limit }))];
    },
  };
}

const EMPTY = {
  path: "?q",
  reason: "empty_query",
  message: "`q` must contain a letter or a digit.",
};
