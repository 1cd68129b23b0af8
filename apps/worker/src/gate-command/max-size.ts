import { readFolder } from "../scouts/reading/tree.ts";
import type { GateWord } from "./gate-protocol.ts";

export const maxSize: GateWord = {
  usage: "max-size <path> <bytes>",
  about: "a file is no larger than that, or is not there",
  async ask({ words: [path, most, ...more], folder }) {
    if (path === undefined || path === "" || !/^\d{1,15}$/.test(most ?? "") || more.length > 0) return null;
    const file = (await readFolder(folder)).files.get(path);
    if (file === undefined) return { code: 0, says: `${path} is not there.` };
    const says = `${path} has ${file.bytes} bytes, ${most} are allowed.`;
    return { code: file.bytes <= Number(most) ? 0 : 1, says };
  },
};
