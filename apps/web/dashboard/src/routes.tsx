/** The routes. The overview is bundled with the frame; other screens load on navigation or hover. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import {
  RUN_KINDS,
  RUN_PHASES,
  RUN_STATES,
  type RunKind,
  type RunPhase,
  type RunState,
} from "@triptych/contracts/plain";
import { Frame } from "./layout/frame.tsx";
import { NotFound } from "./screens/not-found.tsx";
import { ScreenNotFetched, ScreenError } from "./screens/error-boundary.tsx";
import { Overview } from "./screens/overview.tsx";
import { Login } from "./screens/login.tsx";

const screens = {
  runs: () => fetched(import("./screens/runs.tsx")),
  run: () => fetched(import("./screens/run/run-page.tsx")),
  repos: () => fetched(import("./screens/repos.tsx")),
  newRepo: () => fetched(import("./screens/new-repo.tsx")),
  repo: () => fetched(import("./screens/repo/repo-page.tsx")),
  workers: () => fetched(import("./screens/workers.tsx")),
  account: () => fetched(import("./screens/account/account-page.tsx")),
};

/** The router reloads the page when a module fails to load, which without the panel leaves a blank page. */
function fetched<T>(screen: Promise<T>): Promise<T> {
  return screen.catch((cause: unknown) => {
    throw new ScreenNotFetched(cause);
  });
}

/** Preloads all screens when idle: they then open immediately, even without the panel. */
export async function fetchScreens(): Promise<void> {
  for (const fetchScreen of Object.values(screens)) await fetchScreen().catch(() => undefined);
}

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const overview = createRoute({ getParentRoute: () => root, path: "/", component: Overview });
const login = createRoute({ getParentRoute: () => root, path: "/login", component: Login });

interface RunSearch {
  readonly state?: RunState | undefined;
  readonly phase?: RunPhase | undefined;
  readonly kind?: RunKind | undefined;
  readonly repo_id?: string | undefined;
}

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>): RunSearch => ({
    state: parseEnum(RUN_STATES, search["state"]),
    phase: parseEnum(RUN_PHASES, search["phase"]),
    kind: parseEnum(RUN_KINDS, search["kind"]),
    repo_id: textOf(search["repo_id"]),
  }),
  component: lazyRouteComponent(screens.runs, "Runs"),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$id",
  component: lazyRouteComponent(screens.run, "RunPage"),
});
const repos = createRoute({
  getParentRoute: () => root,
  path: "/repos",
  validateSearch: (search: Record<string, unknown>): { q?: string | undefined } => ({ q: textOf(search["q"]) }),
  component: lazyRouteComponent(screens.repos, "Repos"),
});
const newRepo = createRoute({
  getParentRoute: () => root,
  path: "/repos/new",
  component: lazyRouteComponent(screens.newRepo, "NewRepo"),
});
export const REPO_TABS = ["runs", "candidates", "memories", "settings"] as const;
export type RepoTab = (typeof REPO_TABS)[number];
const repo = createRoute({
  getParentRoute: () => root,
  path: "/repos/$id",
  validateSearch: (search: Record<string, unknown>): { tab?: RepoTab | undefined } => ({
    tab: parseEnum(REPO_TABS, search["tab"]),
  }),
  component: lazyRouteComponent(screens.repo, "RepoPage"),
});
const workers = createRoute({
  getParentRoute: () => root,
  path: "/workers",
  component: lazyRouteComponent(screens.workers, "Workers"),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  component: lazyRouteComponent(screens.account, "AccountPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([overview, login, runs, run, repos, newRepo, repo, workers, account]),
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ScreenError,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function parseEnum<const T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((candidate) => candidate === value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
}
