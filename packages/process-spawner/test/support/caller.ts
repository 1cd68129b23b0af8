/** A process that has one program run, and says what came of it. */
import { runProgram } from "../../src/index.ts";
import { shell } from "./shell.ts";

process.stdout.write(String((await runProgram(shell(process.argv[2] ?? ""))).printed));
