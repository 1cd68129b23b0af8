/** Change notifications of an account, not stored. In a burst, only the last notification of each object is sent. */
import type { ChangeEvent } from "../domain/repositories.ts";
import type { EventStream } from "./streams.ts";

export interface Changes {
  follow(owner: string, stream: EventStream): void;
  /** Null: some notifications were lost. Closes the affected streams, because clients read everything again when they reconnect. */
  wake(hint: ChangeEvent | null): void;
}

/** The first hint is sent immediately; those within this interval follow together. */
const GATHER_INTERVAL_MS = 100;

interface Audience {
  readonly streams: Set<EventStream>;
  readonly waiting: Map<string, ChangeEvent>;
  timer: NodeJS.Timeout | null;
}

export function openChanges(): Changes {
  const audiences = new Map<string, Audience>();

  return {
    follow(owner, stream) {
      const audience = audiences.get(owner) ?? { streams: new Set(), waiting: new Map(), timer: null };
      audiences.set(owner, audience);
      audience.streams.add(stream);
      void leave(owner, audience, stream);
    },
    wake(hint) {
      if (hint === null) {
        for (const { streams } of audiences.values()) for (const stream of streams) stream.end();
        return;
      }
      const audience = audiences.get(hint.owner);
      if (audience === undefined) return;
      audience.waiting.set(`${hint.type} ${hint.id}`, hint);
      if (audience.timer === null) say(audience);
    },
  };

  async function leave(owner: string, audience: Audience, stream: EventStream): Promise<void> {
    await stream.closed;
    audience.streams.delete(stream);
    if (audience.streams.size > 0) return;
    if (audience.timer !== null) clearTimeout(audience.timer);
    audiences.delete(owner);
  }
}

function say(audience: Audience): void {
  const events = Array.from(audience.waiting.values(), eventOf).join("");
  audience.waiting.clear();
  audience.timer = null;
  if (events === "") return;
  const bytes = Buffer.from(events);
  for (const stream of audience.streams) stream.write(bytes);
  audience.timer = setTimeout(() => say(audience), GATHER_INTERVAL_MS).unref();
}

function eventOf({ type, id, repoId, revision }: ChangeEvent): string {
  return `data: ${JSON.stringify({ type, id, repo_id: repoId, revision })}\n\n`;
}
