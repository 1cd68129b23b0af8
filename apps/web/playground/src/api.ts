/** The only file of the page that sends requests. The token goes into a header, and nowhere else. */
import { createClient } from "@triptych/client";
import type * as contract from "@triptych/contracts";
import type { AnswerOf } from "@triptych/contracts";
import { endpoint } from "../../shared/endpoint.ts";

/** Answer of `/playground/service.json`. */
export interface Service {
  readonly title: string;
  /** Payment rail and price of a decision; null if decisions are free. */
  readonly paid: { readonly rail: string; readonly price_micro: number } | null;
}

export type Operation = "route" | "decide" | "noul" | "score" | "assess";
export type RouteAnswer = AnswerOf<typeof contract.route>;
export type DecideAnswer = AnswerOf<typeof contract.decide>;
export type NoulAnswer = AnswerOf<typeof contract.noul>;
export type ScoreAnswer = AnswerOf<typeof contract.score>;
export type AssessAnswer = AnswerOf<typeof contract.assess>;
export type Answer = RouteAnswer | DecideAnswer | NoulAnswer | ScoreAnswer | AssessAnswer;
export type Explanation = NonNullable<RouteAnswer["explanation"]>;
export type Expert = AnswerOf<typeof contract.listExperts>["data"][number];

export interface Decision {
  /** Byte for byte the response that was paid, which its receipt covers. */
  readonly text: string;
  readonly answer: Answer;
  readonly headers: Headers;
}

/** All decisions have the shape of `route` for the client, and are idempotent. */
const decisionAt = (operation: Operation) => ({
  ...endpoint<typeof contract.route>("POST", `/v1/${operation}` as "/v1/route"),
  idempotent: true as const,
});
const experts = endpoint<typeof contract.listExperts>("GET", "/v1/experts");

export async function readService(): Promise<Service> {
  const response = await fetch("/playground/service.json");
  if (!response.ok) throw new Error(`/playground/service.json returned ${response.status}`);
  return (await response.json()) as Service;
}

export type Api = ReturnType<typeof createApi>;

export function createApi({ paid }: Service, token: () => string) {
  function headers(): Readonly<Record<string, string>> {
    const value = token();
    if (value === "") return {};
    return paid === null ? { Authorization: `Bearer ${value}` } : { "X-Rail-Wallet": value };
  }

  return {
    /** The client makes one idempotency key per call, so that retries are billed once. */
    async decide(operation: Operation, body: object, signal: AbortSignal): Promise<Decision> {
      let text = "";
      const reading: typeof fetch = async (address, init) => {
        const response = await fetch(address, init);
        if (response.ok) text = await response.clone().text();
        return response;
      };
      const client = createClient({ url: "", headers: headers(), fetch: reading, retries: 1 });
      const { body: answer, headers: received } = await client.call(decisionAt(operation), {
        body,
        signal,
      });
      return { text, answer: answer as Answer, headers: received };
    },
    experts: async (): Promise<readonly Expert[]> =>
      (await createClient({ url: "", headers: headers(), retries: 0 }).call(experts, {})).body.data,
  };
}
