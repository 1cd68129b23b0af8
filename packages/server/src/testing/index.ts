/** For tests of pages. */
export { openBrowser, openPage, violations, withoutBrowser } from "./browser.ts";
