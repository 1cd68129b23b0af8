/** A run of the channel fixture: started by its owner, reported by its worker. */
import { REPO, type ChannelFixture } from "./create-channel-fixture.ts";
import type { WorkerSocket } from "./worker-socket.ts";

export async function openRun(fixture: ChannelFixture) {
  const account = await fixture.make("pro");
  const { access_token: token, account_id: owner, license_key: key } = account;
  const repo = (await fixture.ask(token, "POST", "/api/repos", REPO)).body;
  const start = async (body: object = {}) => (await fixture.ask(token, "POST", `/api/repos/${repo.id}/run`, body)).body;
  const is = (id: string, state: string, epoch: number) =>
    fixture.until(owner, id, (run) => run.state === state && run.epoch === epoch);
  return { token, owner, key, start, is };
}

/** Accepts the next offer. */
export async function take(worker: WorkerSocket) {
  const { cid, run_id, epoch } = await worker.next("assign");
  worker.say({ t: "ack", cid });
  worker.say({ t: "accept", run_id, epoch });
  return { run_id, epoch };
}

export async function report(worker: WorkerSocket, mid: string, frame: object) {
  worker.say({ t: "state", mid, ...frame });
  return (await worker.next("state_ack")).result;
}

export const HEARTBEAT = { t: "hb", free_slots: 1, load: 0.1, disk_free_mb: 9_000 };
export const CANCELLED = { state: "cancelled", data: {} };
