/** What the handlers need of the running service: the catalogue of the moment and the address under which it is reached. */
import { Problem } from "@triptych/server";
import type { Catalogue } from "../domain/catalogue.ts";

export interface Served {
  /** Null until the first version is open. */
  catalogue(): Catalogue | null;
  /** Public address of the service, without a slash at its end. */
  origin(): string;
}

/** The catalogue for the length of one request: every part of an answer comes from one version. */
export function requireCatalogue(served: Served): Catalogue {
  const catalogue = served.catalogue();
  if (catalogue === null) throw new Problem("not_ready", { headers: { "Retry-After": "1" } });
  return catalogue;
}
