/** ntfy (https://docs.ntfy.sh/publish/#publish-as-json). JSON, because headers cannot carry every title. */
import { pullRequestIn, type MessageType } from "../event.ts";
import { postJson } from "./post.ts";
import type { OutgoingMessage, Outcome } from "./target.ts";

/** Priority from 1 to 5, and tags; ntfy shows known tags as emoji. */
const STYLE: Readonly<Record<MessageType, { readonly priority: number; readonly tags: readonly string[] }>> = {
  "run.pr_opened": { priority: 3, tags: ["white_check_mark"] },
  "run.failed": { priority: 4, tags: ["x"] },
  "run.attention": { priority: 4, tags: ["warning"] },
  "run.follow_up_exhausted": { priority: 4, tags: ["warning"] },
  "candidate.proposed": { priority: 2, tags: ["bulb"] },
  "worker.offline": { priority: 4, tags: ["electric_plug"] },
  "quota.near": { priority: 3, tags: ["hourglass"] },
  "notify.test": { priority: 3, tags: ["wave"] },
};

export interface NtfyOptions {
  readonly url: string;
  readonly topic: string;
  readonly token: string | null;
}

export function ntfySender({ url, topic, token }: NtfyOptions) {
  return ({ event, link, now }: OutgoingMessage): Promise<Outcome> => {
    const { priority, tags } = STYLE[event.type];
    const click = pullRequestIn(event.data) ?? link;
    const body = JSON.stringify({
      topic,
      title: event.title,
      message: event.text || event.title,
      priority,
      click,
      tags: [...tags, event.type],
    });
    return postJson({ url, ...(token !== null && { headers: { Authorization: `Bearer ${token}` } }), body, now });
  };
}
