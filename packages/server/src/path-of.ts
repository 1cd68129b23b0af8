/** Path of a request target without its query: the only part of a URL that may be logged. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/**
 * Servers must accept absolute targets, as sent to proxies (RFC 9112, 3.2.2). Drops the host, so that all code sees a
 * path.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path === target || path.startsWith("/") ? path : `/${path}`;
}

/**
 * The path as the router decodes it, in which percent-encoded letters equal plain ones. Invalid encodings stay
 * unchanged.
 */
export function routePattern(url: string): string {
  const path = pathOf(url);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
