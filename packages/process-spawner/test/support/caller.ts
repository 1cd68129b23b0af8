/** A process that runs one program and reports the result. */
import { runProgram } from "../../src/index.ts";
import { shell } from "./shell.ts";

process.stdout.write(String((await runProgram(shell(process.argv[2] ?? ""))).printed));
