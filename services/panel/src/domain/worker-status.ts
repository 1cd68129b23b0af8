/** Workers as their owner sees them: stored data, with current figures of those connected to this node. */
import type { ConnectedWorkers } from "./panel.ts";
import type { Repositories } from "./repositories.ts";
import { healthOf, type ConnectionRecord, type ProbeRecord, type WorkerHealth, type WorkerRecord } from "./workers.ts";
import type { LeasedRun } from "../queue/repository.ts";

export interface WorkerStatus {
  readonly worker: WorkerRecord;
  readonly isConnected: boolean;
  readonly health: WorkerHealth;
  readonly hasPresentKey: boolean;
  readonly runs: readonly string[];
  readonly probes: readonly ProbeRecord[];
}

interface StatusContext {
  readonly workers: readonly WorkerRecord[];
  readonly present: ReturnType<ConnectedWorkers["present"]>;
  readonly now: number;
}

export async function workerStatusesOf(
  { workers: repository, license, queue }: Repositories,
  { workers, present, now }: StatusContext,
): Promise<readonly WorkerStatus[]> {
  const { generation } = await license.read();
  const connections = new Map(
    (await repository.connections()).map((connection): [string, ConnectionRecord] => [connection.workerId, connection]),
  );
  const [probes, leased] = [groupBy(await repository.probes()), groupBy(await queue.leased())];
  return workers.map((stored): WorkerStatus => {
    const here = present.get(stored.id);
    const worker = here === undefined ? stored : { ...stored, figures: here.worker.figures };
    const connection = connections.get(stored.id);
    const mine = probes.get(stored.id) ?? [];
    const isConnected = connection !== undefined;
    return {
      worker,
      isConnected,
      health: healthOf({ worker, isConnected, probes: mine, now }),
      // For a disconnected worker, the key it last held.
      hasPresentKey: (here?.keyGeneration ?? connection?.keyGeneration ?? stored.figures.keyGeneration) === generation,
      runs: (leased.get(stored.id) ?? []).map(({ id }: LeasedRun) => id),
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
