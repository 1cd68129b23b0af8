/**
 * `imports`: who may import whom, from the table in import-rules.json. A row applies to the file or the files below `from`:
 * `ours`, `libraries` and `node` list what is allowed; `notOurs`, `notLibraries`, `notNode` and `notFolders` what is
 * not. `order` lists the folders of `from`: a file imports its own folder and those before it. Type imports count. All
 * rows that match a file apply.
 */
import { readFileSync } from "node:fs";
import { matchesGlob, posix } from "node:path";

const ROWS = JSON.parse(readFileSync(new URL("import-rules.json", import.meta.url), "utf8"));
const WORKSPACE = /^(?:packages|services|apps)\/[^/]+/;

export const imports = {
  create(context) {
    const file = posix.relative(slashed(context.cwd ?? process.cwd()), slashed(context.filename));
    const rows = ROWS.filter(({ from }) => matchesGlob(file, from.endsWith(".ts") ? from : `${from}/**`));
    if (rows.length === 0) return {};
    const check = (source) => {
      if (typeof source?.value !== "string") return;
      const target = targetOf(file, source.value);
      const message = reachesInside(file, target)
        ? INSIDE
        : rows.map((row) => refusal(file, row, target)).find(Boolean);
      if (message !== undefined) context.report({ node: source, message: `"${source.value}": ${message}.` });
    };
    return {
      ImportDeclaration: ({ source }) => check(source),
      ExportNamedDeclaration: ({ source }) => check(source),
      ExportAllDeclaration: ({ source }) => check(source),
      ImportExpression: ({ source }) => check(source),
      TSImportType: ({ source, argument }) => check(source ?? argument),
    };
  },
};

const INSIDE = "import another workspace by its package name";

function targetOf(file, name) {
  if (name.startsWith(".")) return { kind: "file", path: posix.join(posix.dirname(file), name) };
  if (name.startsWith("node:")) return { kind: "node", name: name.slice("node:".length).split("/")[0] };
  const [scope, part] = name.split("/");
  if (scope === "@triptych") return { kind: "ours", name: part, isDeep: name.includes("/src/") };
  return { kind: "library", name: scope.startsWith("@") ? `${scope}/${part}` : scope };
}

/** Whether the import bypasses the exports of another workspace. */
function reachesInside(file, { kind, path, isDeep }) {
  if (kind === "file") return WORKSPACE.exec(file)?.[0] !== WORKSPACE.exec(path)?.[0];
  return kind === "ours" && isDeep;
}

/** @returns {string | undefined} the reason why the row refuses the import */
function refusal(file, { from, because, ...row }, { kind, name, path }) {
  if (kind === "file") {
    const depth = from.split("/").indexOf("src") + 1;
    const isRefused =
      row.notFolders?.includes(path.split("/")[depth]) ||
      isLater(row.order, folderBelow(from, file), folderBelow(from, path));
    return isRefused ? because : undefined;
  }
  const [only, not] = {
    ours: [row.ours, row.notOurs],
    node: [row.node, row.notNode],
    library: [row.libraries, row.notLibraries],
  }[kind];
  const isAllowed = (only === undefined || only.includes(name)) && !not?.includes(name);
  return isAllowed ? undefined : because;
}

/** @returns {string | undefined} undefined for a file directly in `from` */
function folderBelow(from, path) {
  return path.split("/").slice(from.split("/").length, -1)[0];
}

/** A folder without a rank imports itself alone. Files beside the folders import all of them; no folder imports those files. */
function isLater(order, own, target) {
  if (order === undefined || own === undefined || own === target) return false;
  return !order.includes(target) || order.indexOf(target) > order.indexOf(own);
}

function slashed(path) {
  return path.replaceAll("\\", "/");
}
