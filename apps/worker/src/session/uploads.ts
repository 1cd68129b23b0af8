/** Uploads of a run: the bundle, and texts too long for the bus. */
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import type { Bundle } from "../run/run-request.ts";
import type { Clock } from "../run/clock.ts";
import type { PanelFetch } from "../model-proxy/panel-proxy.ts";

export interface Uploads {
  /** Retries until the panel accepts or refuses it. */
  bundle(bundle: Bundle): Promise<Uploaded>;
  /** Returns the artifact's name immediately and uploads in the background. Null if it cannot be stored. */
  artifact(text: string): { readonly sha256: string; readonly bytes: number } | null;
  settled(): Promise<void>;
}

export type Uploaded =
  | { readonly kind: "stored" }
  /** The run belongs to another epoch, or is over. */
  | { readonly kind: "superseded" }
  | {
      readonly kind: "refused";
      readonly code: "bundle_invalid" | "diff_too_large" | "internal";
      readonly message: string;
    };

export interface UploadOptions {
  readonly panel: string;
  readonly fetch: PanelFetch;
  readonly runId: string;
  readonly epoch: number;
  readonly token: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onError: (text: string) => void;
}

const ARTIFACT_BYTES = 4 * 1024 * 1024;
/** Maximum number of artifacts per run. */
const ARTIFACTS_MAX = 200;
const ARTIFACT_ATTEMPTS_MAX = 5;
const ANSWER_MS = 120_000;
/** Retry limit for a panel that responds but cannot store. */
const RETRY_TIMEOUT_MS = 600_000;
const RETRY_DELAY_MIN_MS = 250;
const RETRY_DELAY_MAX_MS = 15_000;

export function createUploads(options: UploadOptions): Uploads {
  const { clock, signal } = options;
  const under = `/api/worker/runs/${encodeURIComponent(options.runId)}`;
  const sending = new Set<Promise<void>>();
  const registered = new Set<string>();

  return {
    async bundle({ path, sha256 }) {
      const since = clock.now();
      const body = await openAsBlob(path, { type: "application/octet-stream" });
      const digest = Buffer.from(sha256, "hex").toString("base64");
      for (let tries = 0; ; tries++) {
        const answer = await uploadBlob(`${under}/bundle?epoch=${options.epoch}`, body, digest);
        signal.throwIfAborted();
        const done = uploadedOf(answer);
        if (done !== null) return done;
        if (clock.now() - since > RETRY_TIMEOUT_MS)
          return {
            kind: "refused",
            code: "internal",
            message: `bundle rejected by the panel: ${answer.message}`,
          };
        options.onError(`bundle upload failed; retrying: ${answer.message}`);
        await clock.wait(waitOf(tries, clock.random()), signal);
        signal.throwIfAborted();
      }
    },
    artifact(text) {
      const bytes = Buffer.from(text);
      const hash = createHash("sha256").update(bytes);
      const sha256 = hash.copy().digest("hex");
      if (registered.has(sha256)) return { sha256, bytes: bytes.length };
      if (bytes.length > ARTIFACT_BYTES || registered.size >= ARTIFACTS_MAX) return null;
      registered.add(sha256);
      const sent = sendArtifact(
        sha256,
        new Blob([bytes], { type: "text/plain; charset=utf-8" }),
        hash.digest("base64"),
      );
      sending.add(sent);
      void sent.finally(() => sending.delete(sent));
      return { sha256, bytes: bytes.length };
    },
    async settled() {
      await Promise.all(sending);
    },
  };

  async function sendArtifact(sha256: string, body: Blob, digest: string): Promise<void> {
    for (let tries = 0; tries < ARTIFACT_ATTEMPTS_MAX && !signal.aborted; tries++) {
      const answer = await uploadBlob(`${under}/artifacts/${sha256}`, body, digest);
      if (answer.status >= 200 && answer.status < 300) return;
      if (!isPassing(answer)) return options.onError(`artifact rejected by the panel: ${answer.message}`);
      await clock.wait(waitOf(tries, clock.random()), signal);
    }
  }

  /** Status 0: no response. */
  async function uploadBlob(path: string, body: Blob, digest: string): Promise<Answered> {
    try {
      const response = await options.fetch(new URL(path, options.panel), {
        method: "PUT",
        headers: { Authorization: `Bearer ${options.token}`, "Content-Digest": `sha-256=:${digest}:` },
        body,
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      const text = await response.text();
      return { status: response.status, message: `${response.status} ${detailOf(text)}`.trim() };
    } catch (error) {
      return { status: 0, message: error instanceof Error ? error.message : String(error) };
    }
  }
}

interface Answered {
  readonly status: number;
  readonly message: string;
}

function uploadedOf(answer: Answered): Uploaded | null {
  const { status, message } = answer;
  if (status >= 200 && status < 300) return { kind: "stored" };
  if (isPassing(answer)) return null;
  switch (status) {
    case 401:
    case 404:
    case 409:
      return { kind: "superseded" };
    case 413:
      return { kind: "refused", code: "diff_too_large", message: `bundle rejected by the panel: ${message}` };
    default:
      return { kind: "refused", code: "bundle_invalid", message: `bundle rejected by the panel: ${message}` };
  }
}

function isPassing({ status }: Answered): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}

function waitOf(tries: number, random: number): number {
  return Math.min(RETRY_DELAY_MAX_MS, RETRY_DELAY_MIN_MS * 2 ** tries) * (0.5 + random / 2);
}

/** The detail of a problem response; the body of an intermediary is not repeated. */
function detailOf(text: string): string {
  try {
    const { detail }: { readonly detail?: unknown } = JSON.parse(text);
    return typeof detail === "string" ? detail.slice(0, 500) : "";
  } catch {
    return "";
  }
}
