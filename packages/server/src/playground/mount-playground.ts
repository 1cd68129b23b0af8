/**
 * `/playground`, built by `apps/web`. Facts about the service are in a separate file, because two services serve the
 * same build.
 */
import { mountBuiltPage } from "../pages/built-page.ts";
import type { Server } from "../server.ts";

export interface PlaygroundFacts {
  readonly title: string;
  /** Payment rail and price of a decision; null if decisions are free. */
  readonly paid: { readonly rail: string; readonly price_micro: number } | null;
  /** Folder of the built page; null or absent if there is none. */
  readonly folder: Promise<string | null> | undefined;
}

export function mountPlayground(
  server: Pick<Server<unknown>, "mountDocument">,
  { title, paid, folder = Promise.resolve(null) }: PlaygroundFacts,
): void {
  mountBuiltPage(server, { paths: ["/playground"], base: "/playground/", folder, title, name: "the playground" });
  server.mountDocument("/playground/service.json", () => ({ title, paid }));
}
