/** Signed requests to S3-compatible storage: bounded attempts, and errors for the operator without keys or signatures. */
import { clearTimeout, setTimeout as startTimer } from "node:timers";
import { setTimeout as pause } from "node:timers/promises";
import { StoreError } from "@triptych/storage";
import { AwsClient } from "aws4fetch";
import type { BlobLocation } from "./blob-url.ts";

export interface S3Options {
  readonly location: BlobLocation;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Timeout for the first byte of a response. Default 30 s. */
  readonly timeoutMs?: number;
  /** Delay before the second attempt; doubles with each further one. Default 200 ms. */
  readonly retryMs?: number;
}

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** Below the prefix; undefined for the bucket itself. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
}

export interface S3Client {
  /** A response with a status below 300, or null for a missing object. Throws StoreError for everything else. */
  send(request: S3Request): Promise<Response | null>;
  readonly timeoutMs: number;
}

const ATTEMPTS = 4;

export function createS3Client(options: S3Options): S3Client {
  const { location, timeoutMs = 30_000, retryMs = 200, accessKeyId, secretAccessKey, sessionToken } = options;
  const { bucket, prefix, endpoint, region } = location;
  const signer = new AwsClient({
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service: "s3",
    region,
  });
  const urlOf = ({ name, query = {} }: S3Request) => {
    const path = name === undefined ? bucket : [bucket, prefix, name].filter((part) => part !== "").join("/");
    const search = new URLSearchParams(query).toString();
    return `${endpoint}/${path}${search === "" ? "" : `?${search}`}`;
  };

  /** The response, or the reason to retry. */
  async function attempt(request: S3Request): Promise<Response | string> {
    const { method, headers = {}, body = null } = request;
    const { url, headers: signed } = await signer.sign(urlOf(request), { method, headers });
    const stopped = new AbortController();
    const timer = startTimer(() => stopped.abort(), timeoutMs + transferMs(body));
    try {
      // No redirects: they would carry the signature to another host.
      const response = await fetch(url, { method, headers: signed, body, redirect: "manual", signal: stopped.signal });
      if (response.status !== 429 && response.status < 500) return response;
      await response.body?.cancel();
      return `responds with ${response.status}`;
    } catch (error) {
      return stopped.signal.aborted ? "does not respond in time" : `cannot be reached (${codeOf(error)})`;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    timeoutMs,
    async send(request) {
      for (let count = 1; ; count++) {
        const result = await attempt(request);
        if (typeof result !== "string") return await accepted(result, request, location);
        if (count === ATTEMPTS) throw storageError(location, `${result}, after ${ATTEMPTS} attempts`);
        await pause(retryMs * 2 ** (count - 1) * (0.5 + Math.random() / 2));
      }
    },
  };
}

/** Allows for a transfer at 1 MB/s. */
function transferMs(body: Blob | null): number {
  return body === null ? 0 : body.size / 1_000;
}

async function accepted(
  response: Response,
  { method, name }: S3Request,
  location: BlobLocation,
): Promise<Response | null> {
  if (response.ok) return response;
  const text = await response.text().catch(() => "");
  const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? "";
  if (response.status === 404 && name !== undefined && code !== "NoSuchBucket" && method !== "PUT") return null;
  if (response.status === 404) throw storageError(location, `has no bucket named ${location.bucket}`);
  if (response.status === 403 || response.status === 401)
    throw storageError(
      location,
      `refuses access to the bucket ${location.bucket} (${response.status}${code === "" ? "" : ` ${code}`}). Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the permissions of the key`,
    );
  if (response.status >= 300 && response.status < 400)
    throw storageError(
      location,
      `redirects (${response.status}): the bucket is in another region or at another endpoint`,
    );
  throw storageError(location, `refuses a request (${response.status}${code === "" ? "" : ` ${code}`})`);
}

export function storageError({ endpoint }: Pick<BlobLocation, "endpoint">, what: string): StoreError {
  return new StoreError("unreachable", `BLOB_URL: the storage at ${endpoint} ${what}.`);
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return "network error";
}
