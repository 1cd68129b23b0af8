import type { QueryOf, getItems } from "@triptych/contracts";

export type ItemsQuery = QueryOf<typeof getItems>;
