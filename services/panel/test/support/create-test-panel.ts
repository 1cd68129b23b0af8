/** A data folder for panels and CLI commands, started as by the CLI. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { CommanderError } from "commander";
import { panelCommands } from "../../src/commands/panel-commands.ts";
import { start, type RunningPanel, type CliContext } from "../../src/service.ts";

type Variables = Readonly<Record<string, string>>;

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function openFixture() {
  const folder = await mkdtemp(join(tmpdir(), "triptych panel-"));
  const data = join(folder, "data");
  const running = new AsyncDisposableStack();
  const environment = {
    PATH: process.env["PATH"] ?? "",
    TRIPTYCH_DATA: data,
    PANEL_PORT: "0",
    LOG_LEVEL: "silent",
    PANEL_EMBEDDED_WORKER: "0",
  };
  return {
    data,
    async start(more: Variables = {}, context: CliContext = {}): Promise<RunningPanel> {
      const panel = await start({ ...environment, ...more }, context);
      running.defer(() => panel.stop());
      return panel;
    },
    /** Runs a CLI command: exit code 2 for usage errors, 1 for other failures. */
    async run(
      args: readonly string[],
      { typed = "", ...more }: Variables & { readonly typed?: string } = {},
    ): Promise<Ran> {
      const captured = { stdout: "", stderr: "" };
      const commands = panelCommands({
        environment: { ...environment, ...more },
        stdin: Readable.from([typed]),
        stdout: { write: (text) => (captured.stdout += text), columns: 100 },
        stderr: { write: (text) => (captured.stderr += text), columns: 100 },
      });
      try {
        await commands.parseAsync([...args], { from: "user" });
        return { code: 0, ...captured };
      } catch (error) {
        if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, ...captured };
        return {
          code: 1,
          ...captured,
          stderr: `${captured.stderr}${error instanceof Error ? error.message : String(error)}\n`,
        };
      }
    },
    credentials: async () => JSON.parse(await readFile(join(data, "credentials.json"), "utf8")).panel,
    async [Symbol.asyncDispose]() {
      await running.disposeAsync();
      await rm(folder, { recursive: true });
    },
  };
}

/** Sends one request; returns the JSON of the response. */
export async function ask(url: string, path: string, { token, method = "GET", body }: AskOptions = {}) {
  const headers: Record<string, string> = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
}

interface AskOptions {
  readonly token?: string;
  readonly method?: string;
  readonly body?: unknown;
}
