/** Closes what it inherited, and says what a process that it starts has open. */
import { spawnSync } from "node:child_process";
import { closeInheritedFiles } from "../../src/process/inherited-files.ts";

closeInheritedFiles();
spawnSync("ls", ["/proc/self/fd"], { stdio: "inherit" });
