/** Helpers for page tests. */
export { openBrowser, openPage, violations, withoutBrowser } from "./browser.ts";
