/** A loopback npm registry: packuments with tarballs that never need to be fetched. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { Packument } from "../../src/scouts/scan/registry.ts";

type Version = Packument["versions"][string] & { readonly dependencies?: Readonly<Record<string, string>> };

export interface Published {
  /** By version, in the order of release. The last one is the latest, unless `latest` names another. */
  readonly versions: Readonly<Record<string, Version>>;
  readonly latest?: string;
  /** Days before `today`, by version; missing: the registry gives no dates. */
  readonly age?: Readonly<Record<string, number>>;
}

export async function startNpmRegistry(packages: Readonly<Record<string, Published>>, today = Date.now()) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? "").slice(1));
    requests.push(path);
    const address = `http://${request.headers.host}`;
    const published = packages[path];
    response.writeHead(published === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(published === undefined ? "{}" : JSON.stringify(packument(path, published, { address, today })));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  return {
    address: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Serving {
  readonly address: string;
  readonly today: number;
}

function packument(name: string, { versions, latest, age }: Published, { address, today }: Serving) {
  const dist = (version: string) => ({
    tarball: `${address}/${name}/-/${name.replace(/^.*\//, "")}-${version}.tgz`,
    integrity: `sha512-${"A".repeat(86)}==`,
  });
  const time = Object.fromEntries(
    Object.entries(age ?? {}).map(([version, days]) => [version, new Date(today - days * 86_400_000).toISOString()]),
  );
  return {
    name,
    "dist-tags": { latest: latest ?? Object.keys(versions).at(-1) },
    versions: Object.fromEntries(
      Object.entries(versions).map(([version, about]) => [version, { name, version, dist: dist(version), ...about }]),
    ),
    ...(age !== undefined && { time }),
  };
}
