/** The path of a request target, without its query: the only part of a URL that may be shown. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}
