#!/usr/bin/env node
/** `triptych-mcp`: the MCP server without the other commands, for machines that only run agents. */
import { CommanderError } from "commander";
import { mcpCommand } from "./command.ts";

try {
  await mcpCommand(process.env).name("triptych-mcp").parseAsync();
} catch (error) {
  // Commander has already reported usage errors.
  if (!(error instanceof CommanderError)) process.stderr.write(`${String(error)}\n`);
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : 1;
}
