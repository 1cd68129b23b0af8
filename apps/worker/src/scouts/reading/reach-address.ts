/** Whether an external address is permanently gone. */
export type Fetch = (url: string, options: RequestInit) => Promise<Pick<Response, "status">>;

const WAIT_MS = 10_000;
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** True only after two such responses; null without a response. Other refusals prove nothing: many sites require a login. */
export async function isGone(url: string, fetch: Fetch): Promise<boolean | null> {
  const first = await ask(url, fetch);
  if (first === null || !GONE.has(first)) return first === null ? null : false;
  const second = await ask(url, fetch);
  return second !== null && GONE.has(second);
}

/**
 * Some servers handle HEAD badly, so a "gone" is confirmed by GET. Redirects are not followed: the page still exists, and a foreign
 * server must not choose this machine's requests.
 */
async function ask(url: string, fetch: Fetch): Promise<number | null> {
  for (const method of ["HEAD", "GET"]) {
    const answer = await fetch(url, { method, redirect: "manual", signal: AbortSignal.timeout(WAIT_MS) }).catch(
      () => null,
    );
    if (answer === null) return null;
    if (!GONE.has(answer.status) && answer.status !== 405) return answer.status;
    if (method === "GET") return answer.status;
  }
  return null;
}
