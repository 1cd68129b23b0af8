/** All items of a paged list, page after page. */
import type { AnswerOf, Endpoint } from "@triptych/contracts";

/** Whether an endpoint answers in pages, by `cursor` or by `offset`. */
export type IsPaged<E extends Endpoint> =
  AnswerOf<E> extends { readonly items: readonly unknown[] }
    ? E["query"] extends { properties: { cursor: unknown } } | { properties: { offset: unknown } }
      ? true
      : false
    : false;

export type ItemOf<E extends Endpoint> = AnswerOf<E> extends { readonly items: readonly (infer Item)[] } ? Item : never;

export function isPaged(endpoint: Endpoint): boolean {
  const names = Object.keys(endpoint.query?.properties ?? {});
  return names.includes("cursor") || names.includes("offset");
}

interface Page {
  readonly items: readonly unknown[];
  readonly next_cursor?: string | null;
  readonly total?: number;
}

type Parameters = Readonly<Record<string, unknown>>;

/** Reads a page when the items before it are consumed. `read` gets the parameters of the page. */
export async function* iteratePages(
  parameters: Parameters,
  read: (page: Parameters) => Promise<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  let position: Parameters = {};
  let offset = typeof parameters["offset"] === "number" ? parameters["offset"] : 0;
  for (;;) {
    // The contract of every paged list; the server checks its answers against it.
    const page = (await read({ ...parameters, ...position })) as Page;
    yield* page.items;
    offset += page.items.length;
    if (typeof page.next_cursor === "string") position = { cursor: page.next_cursor };
    // A page cut short by a quota is followed by a request that reports the quota.
    else if (page.total !== undefined && page.items.length > 0 && offset < page.total) position = { offset };
    else return;
  }
}
