/** Links of a README to other sites: untrusted text decides what is requested. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deadLink } from "../../src/scouts/scan/dead-link.ts";
import { inFolder } from "../support/inspect.ts";
import { NO_TOOLS } from "../support/no-tools.ts";

async function scanned(links: readonly string[], statusOf: (url: string) => number) {
  const requests: string[] = [];
  const readme = links.map((link, index) => `[link ${index}](${link})\n`).join("\n");
  const found = await inFolder({ "README.md": readme }, (tree) =>
    deadLink.run({
      tree,
      verifyCommand: null,
      verifyTimeoutS: 60,
      verifyTwice: async () => [],
      blame: async () => new Map(),
      today: Date.UTC(2026, 10, 27),
      registry: () => Promise.reject(new Error("not asked")),
      async fetch(url, { method }) {
        requests.push(`${method} ${url}`);
        return { status: statusOf(url) };
      },
      deps: { minReleaseAgeDays: 7, group: "minor" },
      ...NO_TOOLS,
    }),
  );
  return { ...found, requests };
}

test("reports a page that is gone twice, by HEAD and GET", async () => {
  const { findings, missed, requests } = await scanned(["https://a.example/gone", "https://a.example/here"], (url) =>
    url.endsWith("gone") ? 404 : 200,
  );
  assert.deepEqual(
    findings.map(({ gate }) => gate.command),
    ["triptych gate link README.md https://a.example/gone"],
  );
  const [head, get] = ["HEAD https://a.example/gone", "GET https://a.example/gone"];
  assert.deepEqual(requests.toSorted(), [get, get, head, head, "HEAD https://a.example/here"].toSorted());
  assert.deepEqual(missed, []);
});

test("requests nothing from the private network, however its address is written", async () => {
  const hosts = ["localhost", "localhost.", "a.localhost.", "intranet", "db.internal", "printer.local."];
  const addresses = ["127.0.0.1", "127.1", "0x7f000001", "10.0.0.1", "100.64.0.1", "169.254.169.254", "0.0.0.0"];
  const version6 = ["[::1]", "[::ffff:127.0.0.1]", "[fd00::1]"];
  const links = [...hosts, ...addresses, ...version6].map((host) => `http://${host}/`);
  const { findings, missed, requests } = await scanned(links, () => 404);
  assert.deepEqual([findings, requests], [[], []]);
  assert.deepEqual(missed, [`${links.length} external links of README.md could not be reached`]);
});
