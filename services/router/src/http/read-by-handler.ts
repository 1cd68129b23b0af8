/**
 * An endpoint whose handler reads the body itself. A schema with unions can say that a body is wrong, but not what is wrong with it in
 * words that help; the schema is published all the same, and a test holds the two together.
 */
import type { Endpoint } from "@triptych/contracts";

export function readByHandler<E extends Endpoint>({ body: _published, ...endpoint }: E) {
  return { ...endpoint, judgesBody: true } as const;
}
