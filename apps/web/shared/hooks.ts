/** Progress and errors of requests. */
import { useEffect, useRef, useState } from "preact/hooks";

interface Progress {
  readonly busy: boolean;
  readonly error: unknown;
}

/** Runs one action at a time. A new run and the end of the component abort the signal of the previous one. */
export function useAction() {
  const [progress, setProgress] = useState<Progress>({ busy: false, error: null });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  async function run(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setProgress({ busy: true, error: null });
    try {
      await act(signal);
      if (!signal.aborted) setProgress({ busy: false, error: null });
    } catch (error) {
      if (!signal.aborted) setProgress({ busy: false, error });
    }
  }
  function reset() {
    running.current?.abort();
    setProgress({ busy: false, error: null });
  }
  return { ...progress, run, reset };
}

export type Action = ReturnType<typeof useAction>;

/** Loads when the inputs change. The previous data stay until the new data arrive. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]) {
  const [data, setData] = useState<T | null>(null);
  const action = useAction();
  const reload = () =>
    action.run(async (signal) => {
      const loaded = await load(signal);
      if (!signal.aborted) setData(loaded);
    });
  useEffect(() => void reload(), inputs);
  return { ...action, data, reload };
}

export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** A list that loads further pages on demand, and starts again when the inputs change. */
export function usePages<T>(
  load: (cursor: string | null, signal: AbortSignal) => Promise<CursorPage<T>>,
  inputs: readonly unknown[],
) {
  const [pages, setPages] = useState<readonly CursorPage<T>[]>([]);
  const action = useAction();
  const read = (before: readonly CursorPage<T>[]) =>
    action.run(async (signal) => {
      const page = await load(before.at(-1)?.next_cursor ?? null, signal);
      if (!signal.aborted) setPages([...before, page]);
    });
  useEffect(() => void read([]), inputs);
  return {
    ...action,
    items: pages.length === 0 ? null : pages.flatMap((page) => page.items),
    hasMore: pages.at(-1)?.next_cursor != null,
    more: () => void read(pages),
  };
}

/** The same idempotency key until the request succeeds or changes, so that a repeated click acts once. */
export function useRequestKey() {
  const pending = useRef<{ readonly body: string; readonly key: string } | null>(null);
  return {
    keyOf(request: unknown): string {
      const body = JSON.stringify(request);
      if (pending.current?.body !== body) pending.current = { body, key: crypto.randomUUID() };
      return pending.current.key;
    },
    done: () => void (pending.current = null),
  };
}
