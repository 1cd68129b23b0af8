/** An operator's base map from a tile server on another origin. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage, withoutBrowser } from "@triptych/server/testing";
import { openService } from "./open-service.ts";

/** One red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGM4wcAAAAJcAMlDyBJGAAAAAElFTkSuQmCC",
  "base64",
);
/** A square over the whole tile: move, three lines, close. */
const SQUARE = [9, 0, 0, 26, 0x80, 0x40, 0, 0, 0x80, 0x40, 0xff, 0x3f, 0, 15];
const RED = [200, 0, 0];
const GREEN = [0, 128, 0];

/** A vector tile with one polygon, in the layer `water`. */
function vectorTile(): Buffer {
  const feature = [0x18, 3, 0x22, SQUARE.length, ...SQUARE];
  const layer = [0x78, 2, 0x0a, 5, ...Buffer.from("water"), 0x12, feature.length, ...feature, 0x28, 0x80, 0x20];
  return Buffer.from([0x1a, layer.length, ...layer]);
}

function vectorStyle(origin: string): object {
  return {
    version: 8,
    sources: {
      base: {
        type: "vector",
        tiles: [`${origin}/{z}/{x}/{y}.mvt`],
        maxzoom: 4,
        attribution: '<a href="https://example.test/">&copy; Mappers</a>',
      },
    },
    layers: [{ id: "water", type: "fill", source: "base", "source-layer": "water", paint: { "fill-color": "green" } }],
  };
}

async function startTileServer() {
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const [type, body] = request.url?.endsWith(".png")
      ? ["image/png", PNG]
      : request.url?.endsWith(".mvt")
        ? ["application/vnd.mapbox-vector-tile", vectorTile()]
        : ["application/json", JSON.stringify(vectorStyle(origin))];
    response.writeHead(200, { "Content-Type": type, "Access-Control-Allow-Origin": "*" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the tile server has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Red, green and blue of the sea at the left edge of the map. */
async function seaColor(page: Page): Promise<readonly number[]> {
  const { x = 0, y = 0, height = 0 } = (await page.locator("#map").boundingBox()) ?? {};
  const picture = await page.screenshot({ clip: { x: x + 2, y: y + height / 2, width: 1, height: 1 } });
  const text: unknown = await page.evaluate(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture.toString("base64")}";
    await image.decode();
    const context = document.createElement("canvas").getContext("2d");
    context.drawImage(image, 0, 0);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
  })()`);
  return String(text).split(",").map(Number);
}

async function untilSea(page: Page, color: readonly number[]): Promise<void> {
  while (String(await seaColor(page)) !== String(color)) await page.waitForTimeout(100);
}

describe("the base map of an operator", { skip: withoutBrowser, timeout: 300_000 }, () => {
  const parts = new AsyncDisposableStack();
  let browser: Browser;
  let origin: string;
  before(async () => {
    browser = parts.adopt(await openBrowser(), (opened) => opened.close());
    ({ origin } = parts.use(await startTileServer()));
  });
  after(() => parts.disposeAsync());

  test("draws raster tiles under the marks, with the attribution of the operator", async () => {
    const settings = { DIRECTORY_TILES_URL: `${origin}/{z}/{x}/{y}.png`, DIRECTORY_TILES_ATTRIBUTION: "Our tiles" };
    await using service = await openService(settings);
    await using opened = await openPage(browser, `${service.url}/carte?lang=en#key=${service.pro}`);
    await opened.page.locator("#attribution", { hasText: "Our tiles" }).waitFor();
    await untilSea(opened.page, RED);
    assert.deepEqual(opened.complaints, []);
  });

  test("draws a vector style under the marks, with the attribution of its sources as text", async () => {
    await using service = await openService({ DIRECTORY_TILES_URL: `${origin}/style.json` });
    await using opened = await openPage(browser, `${service.url}/carte?lang=en#key=${service.pro}`);
    await opened.page.locator("#base-attribution", { hasText: /^© Mappers$/ }).waitFor();
    await untilSea(opened.page, GREEN);
    await opened.page.locator(".theme select").selectOption("dark");
    await untilSea(opened.page, GREEN);
    assert.deepEqual(opened.complaints, []);
  });
});
