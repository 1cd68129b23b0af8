/** The path of a request target, without its query: the only part of a URL that may be shown. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** What a proxy is asked for in full, any server must take (RFC 9112, 3.2.2): to us the host says nothing, and whoever reads a path finds one. */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const asked = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return asked === target || asked.startsWith("/") ? asked : `/${asked}`;
}

/** As the router reads it: a letter means the same however it is written. What is no such writing is left as it came. */
export function routedPathOf(url: string): string {
  const path = pathOf(url);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
