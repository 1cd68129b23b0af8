/** A real directory on its sample, for page tests; disposable. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { builtWebSite } from "@triptych/web/build";
import { start } from "../../src/service.ts";

const Credentials = Type.Object({ directory: Type.Object({ pro_key: Type.String(), discovery_key: Type.String() }) });

/** The service after a first start: the sample, two demo keys, any free port. */
export async function openService(settings: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "triptych-pages-"));
  const environment = {
    TRIPTYCH_DATA: folder,
    DIRECTORY_PORT: "0",
    LOG_LEVEL: "silent",
    NODE_ENV: "test",
    ...settings,
  };
  const service = await start(environment, { mapFolder: builtWebSite("map") });
  const written: unknown = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
  const { pro_key: pro, discovery_key: discovery } = Value.Parse(Credentials, written).directory;
  return {
    url: service.url,
    data: folder,
    pro,
    discovery,
    async ask(path: string, key = pro) {
      return fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Waits until the list shows this number of results. */
export async function untilTotal(page: Page, total: string): Promise<void> {
  await page.locator("#total", { hasText: new RegExp(`^${total}$`) }).waitFor();
  await page.locator('#results[aria-busy="false"]').waitFor();
}
