import type { ListFormat, getItems } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { Catalogue, NormalQuery } from "../domain/catalogue.ts";
import type { Caller } from "./caller.ts";
import type { Language } from "./facet-labels.ts";
import type { CachedPage } from "./page-cache.ts";
import type { ItemsRequest } from "./read-items-query.ts";

export interface ItemsQueryContext {
  readonly context: RequestContext<typeof getItems, Caller>;
  readonly request: ItemsRequest;
  readonly format: ListFormat;
  readonly catalogue: Catalogue;
  readonly query: NormalQuery;
  readonly origin: string;
  readonly language: Language;
  readonly headers: Readonly<Record<string, string>>;
  keep(page: Omit<CachedPage, "tags" | "geo">): void;
}
