/** The path of a request target, without its query: the only part of a URL that may be shown. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
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

/** Path and query of a target that names its server too, as proxies are asked: a server takes both forms (RFC 9112, section 3.2.2). */
export function originFormOf(url: string): string {
  if (url.startsWith("/")) return url;
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(url)?.[1];
  if (rest === undefined) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
