/** Where the environment puts blobs. The client of S3-compatible storage is loaded only when `BLOB_URL` is set. */
import type { Environment } from "@triptych/config";
import type { Blobs } from "../domain/delivery-repositories.ts";
import { parseBlobUrl } from "./blob-url.ts";
import { fileBlobs } from "./file-blobs.ts";

export interface BlobConfig {
  readonly BLOB_URL?: string | undefined;
  readonly PANEL_BLOB_DIR?: string | undefined;
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_SESSION_TOKEN?: string | undefined;
  readonly AWS_REGION?: string | undefined;
}

/** Issues that the schema cannot find: the address is invalid, or lacks its credentials. */
export function blobIssues(environment: Environment): readonly string[] {
  const { BLOB_URL: url, PANEL_BLOB_DIR: folder } = environment;
  if (!url) return [];
  const location = parseBlobUrl(url, environment["AWS_REGION"] || undefined);
  const required = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].filter((name) => !environment[name]);
  return [
    ...("issue" in location ? [`BLOB_URL: ${location.issue}`] : []),
    ...(folder ? ["PANEL_BLOB_DIR: unset, because BLOB_URL is set"] : []),
    ...required.map((name) => `${name}: required with BLOB_URL`),
  ];
}

/** The variable that moves blobs out of the data folder and the database; null if none is set. */
export function blobVariable(config: BlobConfig): "BLOB_URL" | "PANEL_BLOB_DIR" | null {
  if (config.BLOB_URL !== undefined) return "BLOB_URL";
  return config.PANEL_BLOB_DIR === undefined ? null : "PANEL_BLOB_DIR";
}

/** Null if blobs are in the data folder or the database. */
export async function configuredBlobs(config: BlobConfig): Promise<Blobs | null> {
  const { BLOB_URL: url, PANEL_BLOB_DIR: folder } = config;
  if (url === undefined) return folder === undefined ? null : await fileBlobs(folder);
  const location = parseBlobUrl(url, config.AWS_REGION);
  if ("issue" in location) throw new Error(`BLOB_URL: ${location.issue}.`);
  const { s3Blobs } = await import("./s3-blobs.ts");
  return await s3Blobs({
    location,
    accessKeyId: config.AWS_ACCESS_KEY_ID ?? "",
    secretAccessKey: config.AWS_SECRET_ACCESS_KEY ?? "",
    sessionToken: config.AWS_SESSION_TOKEN,
  });
}
