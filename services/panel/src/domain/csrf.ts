/** Whether a change that came with a session cookie comes from our own pages (section 18). */
export interface CrossSite {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** Of `X-CSRF-Token`. */
  readonly hasToken: boolean;
  readonly ownOrigin: string;
}

/** A client that is no browser sends neither header: that is no foreign page. */
export function isFromForeignPage({ fetchSite, origin, ownOrigin }: Omit<CrossSite, "hasToken">): boolean {
  if (fetchSite === "same-origin" || fetchSite === "none") return false;
  return fetchSite !== undefined || (origin !== undefined && origin !== ownOrigin);
}

/** A browser that says where the request comes from is believed; only where it says nothing does the token count. */
export function isFromOwnPage({ fetchSite, origin, hasToken, ownOrigin }: CrossSite): boolean {
  if (fetchSite === undefined && origin === undefined) return hasToken;
  return fetchSite === "same-origin" || origin === ownOrigin;
}
