/** Large binary files that every clone downloads, largest first. */
import { posix } from "node:path";
import { gateLine } from "../gate-command/gate-protocol.ts";
import { titleOf } from "../finding.ts";
import { isBinary, type TreeFile } from "../reading/tree.ts";
import { foundBy, type Check } from "./check.ts";

export const largeFile: Check = {
  name: "large_file",
  async run({ tree }) {
    const large: TreeFile[] = [];
    for (const file of tree.files.values())
      if (file.bytes > BYTES_MAX && !file.isLink && isBinary((await tree.peek(file.path, 8_000)) ?? Buffer.alloc(0)))
        large.push(file);
    large.sort((one, other) => other.bytes - one.bytes || (one.path < other.path ? -1 : 1));
    return foundBy(
      "large_file",
      SCORE,
      large.map(({ path, bytes }) => ({
        key: [path],
        title: titleOf(
          `Shrink or remove ${path} (${(bytes / BYTES_MAX).toFixed(1)} MiB)`,
          `Shrink or remove ${posix.basename(path)}`,
          "Shrink or remove a large file",
        ),
        focus: `Take ${path} (${bytes} bytes, binary) out of the repository or make it smaller than ${BYTES_MAX} bytes: generate it, compress it better, or store it with Git LFS. Everything that uses it must keep working.`,
        gate: gateLine("max-size", path, String(BYTES_MAX)),
        category: "cleanup" as const,
        rationale: "It is binary, so every clone contains every version of it in full.",
        effort: "m" as const,
        risk: "medium" as const,
        evidence: [{ path, line: null, excerpt: `${bytes} bytes` }],
      })),
    );
  },
};

const SCORE = 0.4;
const BYTES_MAX = 1024 * 1024;
