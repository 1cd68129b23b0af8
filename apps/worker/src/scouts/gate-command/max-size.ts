import { readFolder } from "../reading/tree.ts";
import type { GateDefinition } from "./gate-protocol.ts";

export const maxSize: GateDefinition = {
  usage: "max-size <path> <bytes>",
  about: "the file is at most this large, or does not exist",
  async ask({ args: [path, most, ...more], folder }) {
    if (path === undefined || path === "" || !/^\d{1,15}$/.test(most ?? "") || more.length > 0) return null;
    const file = (await readFolder(folder)).files.get(path);
    if (file === undefined) return { code: 0, message: `${path} does not exist.` };
    const message = `${path} has ${file.bytes} bytes; the maximum is ${most}.`;
    return { code: file.bytes <= Number(most) ? 0 : 1, message };
  },
};
