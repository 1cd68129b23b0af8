/** A place in a campaign that one process fills at a time: when it is killed, another one takes it. */
import type { PostKind } from "./records.ts";
import type { Standby } from "./standby.ts";

export interface Post {
  /** `rail`, `router-1`, or the instance of a gateway. */
  readonly name: string;
  readonly kind: PostKind;
  url(): string;
  /** Resolves when somebody waits to take it: a kill that follows leaves it empty for a moment only. */
  prepare(): Promise<void>;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts another one in its place; resolves when that listens. */
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
