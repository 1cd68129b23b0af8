/** `npm run pictures`: takes the screenshots of the documentation from the running product. */
import { fileURLToPath } from "node:url";
import { openPage } from "@triptych/server/testing";
import { makeWallet, openProduct } from "./open-product.ts";

const FOLDER = fileURLToPath(new URL("../../../docs/pictures/", import.meta.url));
const VIEWPORT = { width: 1280, height: 800 };

await using product = await openProduct();
const [directory, rail, gateway] = ["directory", "rail", "gateway"].map((service) => product.origin(service));

{
  const address = `${directory}/carte?lang=en&region=bretagne#key=${product.keys.pro_key}`;
  await using opened = await openPage(product.browser, address, { colorScheme: "light", viewport: VIEWPORT });
  await opened.page.locator("#total", { hasText: "9 results" }).waitFor();
  await opened.page.waitForLoadState("networkidle");
  await opened.page.screenshot({ path: `${FOLDER}carte-light.png` });
}

await using spending = await openPage(product.browser, `${rail}/wallet`, { colorScheme: "dark", viewport: VIEWPORT });
const token = await makeWallet(spending.page, rail ?? "");
await spending.page.goto(`${gateway}/playground`);
await spending.page.locator("#token").fill(token);
for (const text of ["Hi, how are you?", "Convertis 30 miles en kilomètres", "Will it rain in Paris tomorrow?"]) {
  await spending.page.locator("#state").fill(text);
  await spending.page.locator("button.primary").click();
  await spending.page.locator(".words", { hasText: text }).waitFor();
}
await spending.page.screenshot({ path: `${FOLDER}playground-dark.png` });
await spending.page.goto(`${rail}/wallet`);
await spending.page.locator("#entry-rows tr:nth-child(4)").waitFor();
await spending.page.screenshot({ path: `${FOLDER}wallet-dark.png` });
