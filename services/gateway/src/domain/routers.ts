export interface Routers {
  /** Forwards a call to one of them. */
  ask(call: RouterCall): Promise<RouterAnswer>;
  /** Result of the last health checks, at most 1.5 seconds old. */
  status(): RouterStatus;
}

export interface RouterCall {
  readonly method: string;
  readonly target: string;
  /** Path template of the target. */
  readonly route: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Safe calls are retried on another router when one does not respond. */
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
  readonly isWell: boolean;
  /** Of the healthy router checked last, else of any. */
  readonly latencyMs: number | null;
  readonly model: string | null;
  readonly trunk: string | null;
  readonly experts: number | null;
}
