/** A transport with scripted responses that records requests. Its random number is always 1, the maximum jitter. */
export function scripted(answers: readonly (Response | Error)[]) {
  const requests: { readonly url: string; readonly init: RequestInit }[] = [];
  const waited: number[] = [];
  const transport = {
    fetch: ((url, init) => {
      requests.push({ url: url instanceof Request ? url.url : url.toString(), init: init ?? {} });
      const answer = answers[requests.length - 1] ?? new Error("no more answers");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    }) satisfies typeof fetch,
    wait: async (ms: number) => void waited.push(ms),
    random: () => 1,
    now: () => Date.UTC(2026, 10, 26, 9),
  };
  return { transport, requests, waited };
}

export const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ status, code, detail: "no", errors: [{ path: "?q", message: "m", reason: "r" }] }), {
    status,
    headers,
  });
