/** A fake of the panel's HTTP API that the notifier reads; tests change its runs. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Account, Candidate, Run, Worker } from "@triptych/contracts";

/** Captured responses of a real panel. */
const EXAMPLES = JSON.parse(
  readFileSync(new URL("../../../../packages/server/examples/panel.json", import.meta.url), "utf8"),
);
const example = (operation: string) => structuredClone(EXAMPLES[operation].content["application/json"]);

export const exampleRun = (changes: Partial<Run> = {}): Run => ({ ...example("getRun"), ...changes });
export const exampleWorker = (changes: Partial<Worker> = {}): Worker => ({
  ...example("workerStatus").workers[0],
  ...changes,
});
export const exampleAccount = (): Account => example("getAccount");
export const exampleCandidate = (changes: Partial<Candidate> = {}): Candidate => ({
  ...example("listCandidates").items[0],
  ...changes,
});

export const runTimes = (queuedAt: number, endedAt: number | null = null): Run["times"] => {
  const timeOf = (ms: number) => new Date(ms).toISOString();
  const ended = endedAt === null ? null : timeOf(endedAt);
  return { queued_at: timeOf(queuedAt), leased_at: null, started_at: null, pushed_at: ended, ended_at: ended };
};

const TOKEN = "pnl_token_of_the_test";

export async function startFakePanel() {
  const runs = new Map<string, Run>();
  const workers: Worker[] = [];
  const candidates: Candidate[] = [];
  const streams = new Set<ServerResponse>();
  const requests: string[] = [];
  const account = exampleAccount();
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");

  function answer({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, "http://panel");
    requests.push(pathname);
    if (headers.authorization !== `Bearer ${TOKEN}`)
      return send(response, { status: 401, code: "unauthenticated" }, 401);
    if (pathname === "/api/changes") return openStream(response);
    if (pathname === "/api/account") return send(response, account);
    if (pathname === "/api/worker/status") return send(response, { workers, summary: {} });
    if (pathname.endsWith("/candidates")) return send(response, { items: candidates, next_cursor: null });
    if (pathname === "/api/runs") return send(response, pageOf(searchParams));
    const run = runs.get(pathname.replace("/api/runs/", ""));
    return run === undefined ? send(response, { status: 404, code: "not_found" }, 404) : send(response, run);
  }

  function pageOf(query: URLSearchParams) {
    const [phase, since, size] = [query.get("phase"), query.get("since"), Number(query.get("limit") ?? 50)];
    const from = Number(query.get("cursor") ?? 0);
    const found = [...runs.values()]
      .filter((run) => phase === null || run.phase === phase)
      .filter((run) => since === null || run.times.queued_at >= since)
      .sort((a, b) => b.times.queued_at.localeCompare(a.times.queued_at));
    const next = from + size < found.length ? String(from + size) : null;
    return { items: found.slice(from, from + size), next_cursor: next };
  }

  function openStream(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(": open\n\n");
    streams.add(response);
    response.once("close", () => streams.delete(response));
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    token: TOKEN,
    account,
    runs,
    workers,
    candidates,
    requests,
    /** Stores a run and reports the change. */
    change(run: Run) {
      runs.set(run.id, run);
      const notice = JSON.stringify({ type: "run", id: run.id, repo_id: run.repo_id, revision: run.revision });
      for (const stream of streams) stream.write(`data: ${notice}\n\n`);
    },
    get streamCount() {
      return streams.size;
    },
    closeStreams() {
      for (const stream of streams) stream.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type FakePanel = Awaited<ReturnType<typeof startFakePanel>>;

function send(response: ServerResponse, body: unknown, status = 200): void {
  const type = status === 200 ? "application/json" : "application/problem+json";
  response.writeHead(status, { "Content-Type": type }).end(JSON.stringify(body));
}
