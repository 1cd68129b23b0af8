/** Workers as their owner sees them: what the store keeps, with the present figures of those that are connected to this node. */
import type { ConnectedWorkers } from "./panel.ts";
import type { Books } from "./repositories.ts";
import type { HeldRun } from "./worker-repositories.ts";
import { healthOf, type ConnectionRecord, type ProbeRecord, type WorkerHealth, type WorkerRecord } from "./workers.ts";

export interface WorkerStanding {
  readonly worker: WorkerRecord;
  readonly isConnected: boolean;
  readonly health: WorkerHealth;
  readonly hasPresentKey: boolean;
  readonly runs: readonly string[];
  readonly probes: readonly ProbeRecord[];
}

interface Seen {
  readonly workers: readonly WorkerRecord[];
  readonly present: ReturnType<ConnectedWorkers["present"]>;
  readonly now: number;
}

/** Of these workers of the account. */
export async function standingsOf(
  { workers: book, license, queue }: Books,
  { workers, present, now }: Seen,
): Promise<readonly WorkerStanding[]> {
  const { generation } = await license.read();
  const connections = new Map((await book.connections()).map((one): [string, ConnectionRecord] => [one.workerId, one]));
  const [probes, held] = [groupBy(await book.probes()), groupBy(await queue.held())];
  return workers.map((kept): WorkerStanding => {
    const here = present.get(kept.id);
    const worker = here === undefined ? kept : { ...kept, figures: here.worker.figures };
    const connection = connections.get(kept.id);
    const mine = probes.get(kept.id) ?? [];
    const isConnected = connection !== undefined;
    return {
      worker,
      isConnected,
      health: healthOf({ worker, isConnected, probes: mine, now }),
      // Of one that is away, what it held when it left.
      hasPresentKey: (here?.keyGeneration ?? connection?.keyGeneration ?? kept.figures.keyGeneration) === generation,
      runs: (held.get(kept.id) ?? []).map(({ id }: HeldRun) => id),
      probes: mine,
    };
  });
}

function groupBy<T extends { readonly workerId: string | null }>(
  records: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    if (record.workerId === null) continue;
    const group = groups.get(record.workerId) ?? [];
    groups.set(record.workerId, group);
    group.push(record);
  }
  return groups;
}
