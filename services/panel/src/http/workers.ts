/** Workers as their owner sees them. */
import { WORKER_SUBPROTOCOL } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import type { CarefulHandler } from "@triptych/server";
import type { Caller } from "./caller.ts";

/** What comes here was not upgraded: a good key on a plain request. */
export function connectWorkerHandler(): CarefulHandler<typeof contract.connectWorker, Caller> {
  return {
    careful(_exchange, faults) {
      const message = `This is a WebSocket: upgrade with the subprotocol ${WORKER_SUBPROTOCOL}.`;
      faults.add({ path: "header:Upgrade", reason: "required", message });
      faults.refuse();
    },
  };
}
