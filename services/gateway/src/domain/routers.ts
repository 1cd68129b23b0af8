/** What the gateway asks of the routers behind it. */

export interface Routers {
  /** Passes a call on to one of them. */
  ask(call: RouterCall): Promise<RouterAnswer>;
  /** What the last looks at them have told, no older than a second and a half. */
  status(): RouterStatus;
}

export interface RouterCall {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** What changes nothing is asked of another router when one gives no answer. */
  readonly isSafe: boolean;
}

export type RouterAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer;
    }
  /** No router that could be reached has answered in time. */
  | { readonly kind: "unavailable" };

export interface RouterStatus {
  readonly isWell: boolean;
  /** Of the router that was looked at last among those that are well, else of any. */
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trunk: string | null;
  readonly experts: number | null;
}
