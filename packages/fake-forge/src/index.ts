export type { GitHubAppOptions } from "./github-app.ts";
export { startForge, type Dialect, type Forge, type ForgeFault, type ForgeOptions } from "./forge.ts";
export type { Discussion, FakeCheck, FakeReview } from "./discussion.ts";
