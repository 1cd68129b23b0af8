/** The environment of `triptych notify`. Secrets of targets are in variables that the rules name. */
import { Type, type Static } from "typebox";

export const NotifyConfig = Type.Object({
  PANEL_URL: Type.String({
    default: "http://127.0.0.1:7001",
    pattern: "^https?://[^/?#\\s]+(/[^?#\\s]*)?$",
    description: "http(s) URL of the panel, without a query",
  }),
  PANEL_ACCESS_TOKEN: Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,1000}$",
      description: "access token of the panel, pnl_…; not the license key of a worker",
      secret: true,
    }),
  ),
  NOTIFY_CONFIG: Type.String({ default: "notify.yaml", description: "file with the rules of `triptych notify`" }),
  TRIPTYCH_DATA: Type.String({ default: ".triptych", description: "data folder of the outbox, `notify.db`" }),
});
export type NotifyConfig = Static<typeof NotifyConfig>;
