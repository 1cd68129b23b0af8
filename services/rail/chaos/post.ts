/** A slot for one process at a time. After a kill, another process takes its place. */
import type { PostKind } from "./records.ts";
import type { Standby } from "./standby.ts";

export interface Post {
  /** `rail`, `router-1`, or the instance of a gateway. */
  readonly name: string;
  readonly kind: PostKind;
  url(): string;
  /** Resolves when a successor is ready, so that a kill leaves the slot empty only briefly. */
  prepare(): Promise<void>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts a successor; resolves when it listens. */
  restart(): Promise<void>;
}

export async function openPost<Config>(
  who: Pick<Post, "name" | "kind">,
  standby: Standby<Config>,
  nextConfig: () => Config,
): Promise<Post> {
  let worker = await standby.begin(nextConfig());
  return {
    ...who,
    url: () => worker.url,
    prepare: () => standby.prepare(),
    kill: () => worker.kill(),
    async restart() {
      worker = await standby.begin(nextConfig());
    },
  };
}
