export interface Routers {
  /** Forwards a call to one of the routers. */
  ask(call: RouterCall): Promise<RouterAnswer>;
  /** Result of the last health checks; at most 1.5 seconds old. */
  status(): RouterStatus;
}

export interface RouterCall {
  readonly method: string;
  readonly target: string;
  /** Path template of the target. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Safe calls are retried on another router if one does not respond. */
  readonly isSafe: boolean;
}

export type RouterAnswer =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer;
    }
  /** No reachable router responded in time. */
  | { readonly kind: "unavailable" };

export interface RouterStatus {
  readonly isHealthy: boolean;
  /** Latency of the healthy router that was checked last, otherwise of any router. */
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trunk: string | null;
  readonly experts: number | null;
}
