/** The methods of each path. Decides whether a request without a route is 405 with `Allow`, or 404. */
export class RouteTable {
  readonly #paths: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];

  /** @param path OpenAPI template; a parameter with listed values matches only those. */
  add(method: string, path: string, listed: ReadonlyMap<string, readonly string[]>): void {
    const source = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?:${listed.get(name)?.join("|") ?? "[^/]+"})`);
    const pattern = new RegExp(`^${source}$`);
    const existing = this.#paths.find((entry) => entry.pattern.source === pattern.source);
    const methods = existing?.methods ?? new Set<string>();
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    if (!existing) this.#paths.push({ pattern, methods });
  }

  methodsOf(path: string): readonly string[] {
    return this.#paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]);
  }
}
