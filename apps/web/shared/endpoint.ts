import type { Endpoint } from "@triptych/contracts";

/**
 * An endpoint of the contract for a page: method, path and types; the schemas stay on the server. A wrong method or path does not compile.
 * `media`: media type of a response that is not JSON.
 */
export function endpoint<E extends Endpoint>(method: E["method"], path: E["path"], media?: string): E {
  return { method, path, answers: media === undefined ? {} : { 200: { media: [media] } } } as unknown as E;
}
