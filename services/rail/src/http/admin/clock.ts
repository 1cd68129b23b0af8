import type { adminConfirmClock, adminGetClock, AnswerOf } from "@triptych/contracts";
import type { RequestContext } from "@triptych/server";
import type { Rail } from "../../domain/rail.ts";
import type { Caller } from "../identify.ts";
import { isoTime } from "../response-mappers.ts";
import { actingBy } from "./actions.ts";

export function adminGetClockHandler({ clock }: Rail) {
  return (_context: RequestContext<typeof adminGetClock, Caller>) => toClockResponse(clock);
}

export function adminConfirmClockHandler(rail: Rail) {
  const { clock } = rail;
  return async ({ body, request }: RequestContext<typeof adminConfirmClock, Caller>) => {
    const jump = clock.jump();
    await clock.confirm(actingBy(rail, body));
    request.log.warn({ jump, operator: body.operator, reason: body.reason }, "clock confirmed");
    return toClockResponse(clock);
  };
}

function toClockResponse(clock: Rail["clock"]): AnswerOf<typeof adminGetClock> {
  const jump = clock.jump();
  return {
    state: jump === null ? "trusted" : jump.kind,
    expiry_suspended: jump !== null,
    clock_at: isoTime(clock.wall()),
    ledger_at: isoTime(clock.now()),
  };
}
