/** HTTP client of a panel, and repositories created with git. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface RequestOptions {
  readonly token?: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(url: string, { token, method = "GET", body, headers = {} }: RequestOptions) {
  const answer = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true;
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null };
}
export type Api = (path: string, options?: RequestOptions) => ReturnType<typeof ask>;

export async function keysOf(folder: string) {
  return JSON.parse(await readFile(join(folder, "data", "credentials.json"), "utf8")).panel.pro;
}

/** Waits for the end of a run by polling its bus. */
export async function waitForEnd(api: Api, id: string): Promise<void> {
  for (let after = 0; ;) {
    const { body } = await api(`/api/runs/${id}/bus?wait=25&after=${after}`);
    if (body.complete) return;
    after = body.items.at(-1)?.seq ?? after;
  }
}

export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", "-c", "init.defaultBranch=main"];
  return (await promisify(execFile)("git", ["-C", folder, ...identity, ...args], { env })).stdout.trim();
}

/** Creates a bare repository with one commit of these files on `main`. */
export async function createBareRepository(bare: string, files: Readonly<Record<string, string>>): Promise<void> {
  const tree = `${bare}.tree`;
  await mkdir(tree, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(tree, name), text);
  await git(tree, "init", "--quiet", "--bare", bare);
  await git(tree, "init", "--quiet");
  await git(tree, "add", "--all");
  await git(tree, "commit", "--quiet", "--message=First");
  await git(tree, "push", "--quiet", bare, "HEAD:refs/heads/main");
}
