/** Iterates over all items of a paged list, page by page. */
import type { AnswerOf, Endpoint } from "@triptych/contracts";

/** Whether an endpoint returns pages, by `cursor` or by `offset`. */
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

/** Reads each page only when the previous items are consumed. `read` receives the parameters of the page. */
export async function* iteratePages(
  parameters: Parameters,
  read: (page: Parameters) => Promise<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  let position: Parameters = {};
  let offset = typeof parameters["offset"] === "number" ? parameters["offset"] : 0;
  for (;;) {
    // Every paged list has this contract, and the server validates its responses.
    const page = (await read({ ...parameters, ...position })) as Page;
    yield* page.items;
    offset += page.items.length;
    if (typeof page.next_cursor === "string") position = { cursor: page.next_cursor };
    // If a quota cut the page short, the next request fails with the quota problem.
    else if (page.total !== undefined && page.items.length > 0 && offset < page.total) position = { offset };
    else return;
  }
}
