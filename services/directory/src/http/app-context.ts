import { Problem } from "@triptych/server";
import type { Catalogue } from "../domain/catalogue.ts";

export interface AppContext {
  catalogue(): Catalogue | null;
  origin(): string;
}

/** The catalogue for one request: all parts of a response come from one version. */
export function requireCatalogue(served: AppContext): Catalogue {
  const catalogue = served.catalogue();
  if (catalogue === null) throw new Problem("not_ready", { headers: { "Retry-After": "1" } });
  return catalogue;
}
