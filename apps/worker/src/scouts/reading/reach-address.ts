/** Whether an address of the world outside is gone for good. */
export type Fetch = (url: string, options: RequestInit) => Promise<Pick<Response, "status">>;

const WAIT_MS = 10_000;
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** True only where it says so twice; null where nothing was heard. Other refusals are no sign of a dead page: many ask who we are. */
export async function isGone(url: string, fetch: Fetch): Promise<boolean | null> {
  const first = await ask(url, fetch);
  if (first === null || !GONE.has(first)) return first === null ? null : false;
  const second = await ask(url, fetch);
  return second !== null && GONE.has(second);
}

/**
 * Some servers answer only whole questions: what HEAD says is gone is asked for by GET. What leads elsewhere is not followed: it is not
 * gone, and somebody else would say where this machine goes.
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
