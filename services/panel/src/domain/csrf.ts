/** Whether a change with a session cookie comes from our own pages (section 18). */
export interface CrossSite {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly hasToken: boolean;
  readonly ownOrigin: string;
}

/** A client other than a browser sends neither header and is not treated as a foreign page. */
export function isFromForeignPage({ fetchSite, origin, ownOrigin }: Omit<CrossSite, "hasToken">): boolean {
  if (fetchSite === "same-origin" || fetchSite === "none") return false;
  return fetchSite !== undefined || (origin !== undefined && origin !== ownOrigin);
}

/** `Sec-Fetch-Site` and `Origin` decide where present; otherwise the token does. */
export function isFromOwnPage({ fetchSite, origin, hasToken, ownOrigin }: CrossSite): boolean {
  if (fetchSite === undefined && origin === undefined) return hasToken;
  return fetchSite === "same-origin" || origin === ownOrigin;
}
