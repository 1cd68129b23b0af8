/** Closes inherited files, and prints the open files of a child process. */
import { spawnSync } from "node:child_process";
import { closeInheritedFiles } from "../../src/process/inherited-files.ts";

closeInheritedFiles();
spawnSync("ls", ["/proc/self/fd"], { stdio: "inherit" });
