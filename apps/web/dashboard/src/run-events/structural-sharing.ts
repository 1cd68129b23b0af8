/** Shares equal parts of messages, such as run, author and empty data: a third of the memory of a long bus. */
import type { BusMessage } from "@triptych/contracts";

const NOTHING: BusMessage["data"] = {};

export function createSharing(): (message: BusMessage) => BusMessage {
  const speakers = new Map<string, BusMessage["from"]>();
  let runId = "";

  return ({ from, data, run_id, ...message }) => {
    if (run_id !== runId) runId = run_id;
    const isEmpty = Object.keys(data).length === 0;
    return { ...message, run_id: runId, from: sharedSpeaker(from), data: isEmpty ? NOTHING : data };
  };

  function sharedSpeaker(from: BusMessage["from"]): BusMessage["from"] {
    const name = JSON.stringify(from);
    const existing = speakers.get(name);
    if (existing !== undefined) return existing;
    speakers.set(name, from);
    return from;
  }
}
