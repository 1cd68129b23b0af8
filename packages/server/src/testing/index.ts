export { openBrowser, openPage, violations, withoutBrowser } from "./browser.ts";
