import { Type, type Static } from "typebox";
import { BUS_KINDS, BUS_ROLES } from "./limits.ts";
import { strictObject, nullable, time } from "./schema-helpers.ts";

export const BusMessage = strictObject(
  {
    seq: Type.Integer({ minimum: 1, description: "position on the bus of the run, without gaps" }),
    run_id: Type.String(),
    epoch: Type.Integer({ minimum: 0, description: "lease epoch in which the message was sent" }),
    at: time,
    from: strictObject({
      role: Type.Enum([...BUS_ROLES], { title: "BusRole" }),
      agent: nullable(Type.String()),
      cli: nullable(Type.String()),
      model: nullable(Type.String()),
    }),
    to: Type.Literal("all"),
    kind: Type.Enum([...BUS_KINDS], { title: "BusKind" }),
    text: Type.String(),
    data: Type.Record(Type.String(), Type.Unknown()),
    reply_to: nullable(Type.Integer({ minimum: 1 })),
    round: nullable(Type.Integer({ minimum: 0 })),
  },
  { title: "BusMessage" },
);
export type BusMessage = Static<typeof BusMessage>;
