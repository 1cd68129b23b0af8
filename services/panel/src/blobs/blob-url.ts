/** `BLOB_URL`: `s3://bucket/prefix?endpoint=https://host&region=name`. Errors name what is wrong, never the value. */
export interface BlobLocation {
  readonly bucket: string;
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string;
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
}

const FORM = "s3://bucket/prefix?endpoint=https://host&region=name";
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w./-]*$/;
const DEFAULT_REGION = "us-east-1";

export function parseBlobUrl(text: string, defaultRegion = DEFAULT_REGION): BlobLocation | { readonly issue: string } {
  if (!URL.canParse(text) || !text.startsWith("s3://")) return { issue: `has the form ${FORM}` };
  const { hostname, pathname, searchParams, username, password, port, hash } = new URL(text);
  if (username !== "" || password !== "")
    return { issue: "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" };
  if (port !== "" || hash !== "" || !BUCKET.test(hostname)) return { issue: `has the form ${FORM}` };
  const unknown = [...searchParams.keys()].filter((name) => name !== "endpoint" && name !== "region");
  if (unknown.length > 0) return { issue: "only the parameters endpoint and region" };
  const prefix = pathname.replaceAll(/^\/+|\/+$/g, "");
  if (!PREFIX.test(prefix)) return { issue: "a prefix of letters, digits, dots, dashes, underscores and slashes" };
  const region = searchParams.get("region") ?? defaultRegion;
  const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  if (!isEndpoint(endpoint)) return { issue: "an endpoint such as https://host:9000, without credentials and query" };
  return { bucket: hostname, prefix, region, endpoint: endpoint.replace(/\/+$/, "") };
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === "");
}
