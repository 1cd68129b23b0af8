/** A README made only from the manifest's facts. */
import { filesOf } from "../reading/kinds.ts";
import { readManifest } from "../reading/npm-packages.ts";
import type { Repair, RepairContext } from "./repair.ts";

export async function writeReadme({ tree }: RepairContext): Promise<Repair | null> {
  const manifest = await readManifest(tree);
  if (manifest === null || manifest.name === null || tree.files.has("README.md")) return null;
  const { name, description, scripts, licence, isModule } = manifest;
  const [file] = filesOf(tree, "licence");
  const shell = (command: string) => `\`\`\`sh\n${command}\n\`\`\``;
  const use = isModule ? `import * as it from "${name}";` : `const it = require("${name}");`;
  const parts = [
    `# ${name}`,
    description ?? "",
    `## Use\n\n${shell(`npm install ${name}`)}\n\n\`\`\`js\n${use}\n\`\`\``,
    scripts.has("test") ? `## Test\n\n${shell("npm install\nnpm test")}` : "",
    licence === null
      ? ""
      : `## Licence\n\n${file === undefined ? licence : `${licence}: [${file}](${encodeURI(file)})`}`,
  ];
  const text = `${parts.filter(Boolean).join("\n\n")}\n`;
  return { summary: "README.md: generated from package.json", edits: [{ path: "README.md", text }], lockTool: null };
}
