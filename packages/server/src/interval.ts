/** A periodic task: one run at a time, with a fixed delay between runs. An error never ends the series. */
export interface Repeated {
  /** Waits for the current run. Idempotent. */
  stop(): Promise<void>;
}

export interface RepeatOptions {
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

export function repeat(work: () => Promise<unknown>, { everyMs, onError }: RepeatOptions): Repeated {
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  const plan = () => {
    if (!isStopped) timer = setTimeout(() => void (running = run()), everyMs);
  };
  const run = async () => {
    await work().catch(onError);
    plan();
  };
  plan();
  return {
    async stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      await running;
    },
  };
}
