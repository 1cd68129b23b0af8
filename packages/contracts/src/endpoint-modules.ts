/** The endpoints of each service with their literal types. The arrays of a `ServiceContract` do not preserve them. */
import type * as directory from "./directory/endpoints.ts";
import type * as account from "./panel/account-endpoints.ts";
import type * as auth from "./panel/auth-endpoints.ts";
import type * as bus from "./panel/bus-endpoints.ts";
import type * as candidates from "./panel/candidate-endpoints.ts";
import type * as deliveries from "./panel/delivery-endpoints.ts";
import type * as repos from "./panel/repo-endpoints.ts";
import type * as runs from "./panel/run-endpoints.ts";
import type * as schedules from "./panel/schedule-endpoints.ts";
import type * as statements from "./panel/statement-endpoints.ts";
import type * as workers from "./panel/worker-endpoints.ts";
import type * as admin from "./rail/admin-endpoints.ts";
import type * as adminLedger from "./rail/admin-ledger-endpoints.ts";
import type * as railService from "./rail/service-endpoints.ts";
import type * as wallet from "./rail/wallet-endpoints.ts";
import type * as compat from "./routing/compat-endpoints.ts";
import type * as decision from "./routing/decision-endpoints.ts";
import type * as head from "./routing/head-endpoints.ts";
import type * as information from "./routing/information-endpoints.ts";

type Panel = typeof account &
  typeof auth &
  typeof bus &
  typeof candidates &
  typeof deliveries &
  typeof repos &
  typeof runs &
  typeof schedules &
  typeof statements &
  typeof workers;
type Routing = typeof compat & typeof decision & typeof head & typeof information;

export interface EndpointModules {
  readonly directory: typeof directory;
  readonly panel: Panel;
  readonly rail: typeof wallet & typeof railService & typeof admin & typeof adminLedger;
  readonly router: Routing;
  readonly gateway: Routing;
}
