/** The documentation as a site: the Markdown files of the repository, with a search that runs in the browser. */
import { cpSync, existsSync, globSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type MarkdownRenderer } from "vitepress";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SITE = join(ROOT, "site");

/** Pages by their path without `.md`. Others are listed under More. */
const LISTED: Readonly<Record<string, readonly (readonly [text: string, page: string])[]>> = {
  "First steps": [
    ["Overview", "README"],
    ["Quick start", "docs/first-ten-minutes"],
    ["Your first repository", "docs/panel-first-run"],
    ["Your first custom head", "docs/router-first-head"],
    ["Limit the error rate", "docs/router-thresholds"],
  ],
  Panel: [
    ["Panel", "docs/panel"],
    ["Dashboard", "docs/dashboard"],
    ["Agents", "docs/agents"],
    ["Sandboxing", "docs/isolation"],
    ["Explore", "docs/explore"],
    ["Notifications", "docs/notifications"],
  ],
  Directory: [
    ["Directory", "docs/directory"],
    ["Import mappings", "docs/mappings/README"],
  ],
  "Routing decisions": [
    ["Gateway", "docs/gateway"],
    ["Router", "docs/router"],
    ["Rail", "docs/rail"],
    ["Top-ups with Stripe", "docs/rail-stripe"],
  ],
  "Agents and programs": [
    ["Model Context Protocol", "docs/mcp"],
    ["Skill", "docs/skills/triptych/SKILL"],
    ["Client", "packages/client/README"],
    ["OpenAPI", "docs/openapi"],
  ],
  Operations: [
    ["Operations", "docs/operators"],
    ["Backup and restore", "docs/backup"],
    ["Containers and proxies", "docs/containers"],
    ["Threat model", "docs/threat-model"],
    ["Security policy", "SECURITY"],
  ],
  Figures: [
    ["Benchmarks", "docs/benchmarks"],
    ["Verification", "docs/verification"],
    ["Evaluation of decisions", "docs/evaluation"],
  ],
  Code: [
    ["Architecture", "docs/architecture"],
    ["Glossary", "docs/glossary"],
    ["Contributing", "CONTRIBUTING"],
    ["Code of conduct", "CODE_OF_CONDUCT"],
    ["Releasing", "docs/releasing"],
    ["Changelog", "CHANGELOG"],
    ...globSync("docs/decisions/*.md", { cwd: ROOT })
      .sort()
      .map((file) => [titleOf(file), file.replace(/\.md$/, "")] as const),
  ],
};

const pagesOf = (groups: typeof LISTED) => Object.values(groups).flatMap((entries) => entries.map(([, page]) => page));
const OTHERS = globSync(["docs/**/*.md", "*.md"], { cwd: ROOT })
  .map((file) => file.replace(/\.md$/, ""))
  .filter((page) => page !== "AGENTS" && !pagesOf(LISTED).includes(page));
const SIDEBAR: typeof LISTED =
  OTHERS.length === 0 ? LISTED : { ...LISTED, More: OTHERS.map((page) => [basename(page), page] as const) };
const PAGES = pagesOf(SIDEBAR);

// VitePress resolves Vue from the folder of a page, so the pages are copied to where it is installed.
const STAGE = join(SITE, "dist/pages");
rmSync(STAGE, { recursive: true, force: true });
for (const page of PAGES) cpSync(join(ROOT, `${page}.md`), join(STAGE, `${page}.md`));
cpSync(join(ROOT, "docs/pictures"), join(STAGE, "docs/pictures"), { recursive: true });

export default defineConfig({
  title: "Triptych",
  description: "A maintenance panel, a directory, routing decisions.",
  srcDir: STAGE,
  outDir: join(ROOT, "dist/site"),
  cacheDir: join(ROOT, "node_modules/.cache/site"),
  rewrites: Object.fromEntries(PAGES.map((page) => [`${page}.md`, `${addressOf(page)}.md`])),
  cleanUrls: true,
  lastUpdated: false,
  markdown: { config: prepare },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: Object.entries(SIDEBAR).map(([text, entries]) => ({
      text,
      items: entries.map(([text, page]) => ({ text, link: `/${addressOf(page).replace(/(^|\/)index$/, "$1")}` })),
    })),
  },
});

function addressOf(page: string): string {
  return page.replace(/^docs\//, "").replace(/(^|\/)README$/, "$1index");
}

function titleOf(file: string): string {
  const [, number, words] = /(\d{4})-(.+)\.md$/.exec(file) ?? [];
  return `${number} ${words?.replaceAll("-", " ")}`;
}

/**
 * Plain Markdown: text such as `<name>` is not an element. A link to a page gets the page's address; a link to another file
 * of the repository becomes text; a link to nothing fails the build.
 */
function prepare(md: MarkdownRenderer): void {
  md.set({ html: false });
  md.core.ruler.after("inline", "links-of-the-repository", ({ tokens, env }) => {
    // VitePress names a page by its address.
    const source = PAGES.find((page) => `${addressOf(page)}.md` === env.relativePath);
    const folder = dirname(source ?? "");
    for (const { children } of tokens) {
      let isFile = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") {
          const href = token.attrGet("href") ?? "";
          const [path, ...anchor] = href.split("#");
          const file = isRelative(href) ? relative(ROOT, resolve(ROOT, folder, decodeURI(path))) : null;
          const page = file?.replace(/\.md$/, "") ?? "";
          isFile = file !== null && !PAGES.includes(page) && existsSync(join(ROOT, file));
          if (file !== null && PAGES.includes(page))
            token.attrSet("href", [`/${addressOf(page)}.md`, ...anchor].join("#"));
        }
        if (!isFile || !token.type.startsWith("link_")) continue;
        token.type = token.type.replace("link", "span");
        token.tag = "span";
        token.attrs = null;
      }
    }
  });
}

function isRelative(href: string): boolean {
  return !/^(?:[a-z]+:|#|\/)/.test(href);
}
