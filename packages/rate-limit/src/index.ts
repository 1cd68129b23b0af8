export { createSlidingWindow, type SlidingWindow, type WindowState } from "./sliding-window.ts";
export {
  openRateWindows,
  windowMigrations,
  windowTables,
  type RateWindow,
  type RateWindows,
  type RateWindowsOptions,
} from "./rate-windows.ts";
export {
  policyFields,
  rateLimitHeaders,
  type PolicyNames,
  type RateLimitFields,
  type RatePolicy,
} from "./rate-limit-headers.ts";
