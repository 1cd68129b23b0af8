/** Three test repositories for scouts: a library with a red test, an application with outdated documents, and a clean one. */
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const MANIFEST = {
  name: "steps",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  scripts: { test: "node test/sum.test.js" },
};
export const CI = "on: push\njobs: {}\n";
const LONG_SOURCE = `export const table = [\n${lines(40, (index) => `  ${index},`)}\n];\n`;

export const LIBRARY: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(MANIFEST, null, 2),
  "README.md": "# steps\n\nSee [the table](src/table.js).\n",
  LICENSE: "MIT\n",
  ".github/workflows/ci.yml": CI,
  "src/sum.js": "// TODO: it's slow\nexport const sum = (a, b) => a - b;\n",
  "src/table.js": LONG_SOURCE,
  "test/sum.test.js":
    'import { sum } from "../src/sum.js";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n',
};

export const LIBRARY_REPAIRED: Readonly<Record<string, string>> = {
  "src/sum.js": "export const sum = (a, b) => a + b;\n",
  "test/table.test.js":
    'import { table } from "../src/table.js";\nif (table.length !== 40) throw new Error("short");\n',
};

export const APPLICATION: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "office", license: "ISC", author: "Ada <ada@example.test>" }, null, 2),
  "README.md": `# Office

Begin with the [guide](docs/giude.md), in it [how to start](docs/guide.md#how-to-strat). What was: [history](docs/history-of-everything.md).
The [logo](assets/logo.bin) is ours. \`[no link](nowhere.md)\`

\`\`\`md
[none either](nowhere.md)
\`\`\`

See [elsewhere](https://elsewhere.test/gone) and [below](#office).
`,
  "docs/guide.md": "# Guide\n\n## How to start\n\nStart.\n",
  "assets/logo.bin": `\0${"x".repeat(1024 * 1024 + 10)}`,
};

export const APPLICATION_REPAIRED: Readonly<Record<string, string>> = {
  "README.md": "# Office\n\nBegin with the [guide](docs/guide.md), in it [how to start](docs/guide.md#how-to-start).\n",
  LICENSE: "ISC\n",
  ".github/workflows/ci.yml": CI,
  "assets/logo.bin": "\0small",
};

export const CLEAN: Readonly<Record<string, string>> = {
  ...LIBRARY,
  ...LIBRARY_REPAIRED,
};
