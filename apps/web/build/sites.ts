/** The sites of this workspace: each is a folder with `index.html` and `src/`. */
import { fileURLToPath } from "node:url";
import { builtSite } from "./built-site.ts";

export interface SiteSettings {
  /** Path of the site on its service, with a slash at the end. */
  readonly base: string;
  /** Budget of scripts and styles, gzip. */
  readonly budgetKib: number;
  /** Address of the service that the development server forwards to. */
  readonly service: string;
  /** Files that the service serves, and the bundle does not contain. */
  readonly served: readonly string[];
  /** Inputs of the bundle outside of `apps/web`, from the root of the repository. */
  readonly sources: readonly string[];
  /** For a site that loads its screens on demand: the module of the first screen, its budget, and the budget of each other one. */
  readonly screens?: { readonly first: string; readonly firstKib: number; readonly eachKib: number };
}

const CLIENT = "packages/client/src/*.{ts,js}";
const CONTRACTS = "packages/contracts/src/**/*.ts";
const STYLES = "packages/server/src/pages/browser/*.css";

export const SITES = {
  dashboard: {
    base: "/",
    budgetKib: 220,
    service: "http://127.0.0.1:7001",
    served: [],
    sources: [CLIENT, STYLES, "packages/contracts/src/{error-sets,panel/limits}.ts", "packages/util/src/*.ts"],
    screens: { first: "src/screens/overview.tsx", firstKib: 130, eachKib: 40 },
  },
  map: {
    base: "/carte/",
    // With MapLibre and its worker.
    budgetKib: 300,
    service: "http://127.0.0.1:7002",
    served: ["/docs/dom.js", "/carte/key.js"],
    sources: [CLIENT, STYLES],
  },
  playground: {
    base: "/playground/",
    budgetKib: 60,
    service: "http://127.0.0.1:7004",
    served: [],
    sources: [CLIENT, CONTRACTS, STYLES],
  },
  reference: {
    base: "/docs/try/",
    // Swagger UI. The reference links to it, but loads no part of it.
    budgetKib: 450,
    service: "http://127.0.0.1:7002",
    served: [],
    sources: [],
  },
  wallet: {
    base: "/wallet/",
    budgetKib: 60,
    service: "http://127.0.0.1:7005",
    served: [],
    sources: [CLIENT, STYLES, "packages/contracts/src/rail/limits.ts"],
  },
} as const satisfies Readonly<Record<string, SiteSettings>>;

export type SiteName = keyof typeof SITES;

export function isSiteName(name: string): name is SiteName {
  return Object.hasOwn(SITES, name);
}

/** The folder of a site, built if its sources have changed. */
export function builtWebSite(name: SiteName): Promise<string> {
  return builtSite({
    name: `the site ${name}`,
    home: fileURLToPath(new URL(`../${name}`, import.meta.url)),
    program: fileURLToPath(new URL("main.ts", import.meta.url)),
    argument: name,
    sources: [
      "apps/web/{package.json,vite.config.ts}",
      "apps/web/{build,shared}/*.*",
      `apps/web/${name}/{index.html,src/**/*.*}`,
      ...SITES[name].sources,
    ],
  });
}
