/** A place in a campaign that one process fills at a time: when it is killed, another one takes it. */
import type { PostKind } from "./records.ts";
import type { Worker } from "./standby.ts";

export interface Post {
  /** `rail`, `router-1`, or the instance of a gateway. */
  readonly name: string;
  readonly kind: PostKind;
  url(): string;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts another one in its place; resolves when that listens. */
  restart(): Promise<void>;
}

export async function openPost(who: Pick<Post, "name" | "kind">, begin: () => Promise<Worker>): Promise<Post> {
  let worker = await begin();
  return {
    ...who,
    url: () => worker.url,
    kill: () => worker.kill(),
    async restart() {
      worker = await begin();
    },
  };
}
