/** Whether the worker takes runs: what the panel and the operator have set, and how many it may take. Pure. */
export interface Availability {
  readonly isUp: boolean;
  readonly isEnabled: boolean;
  readonly isDraining: boolean;
  /** Infinity, or at most 1 for a worker of a single run. */
  readonly runsLeft: number;
}

export type AvailabilityEvent =
  | { readonly kind: "welcomed"; readonly isEnabled: boolean }
  | { readonly kind: "down" }
  | { readonly kind: "enabled" }
  | { readonly kind: "disabled" }
  | { readonly kind: "draining" }
  | { readonly kind: "run_started" };

export function initialAvailability(isOnce: boolean): Availability {
  return { isUp: false, isEnabled: true, isDraining: false, runsLeft: isOnce ? 1 : Infinity };
}

export function reduceAvailability(state: Availability, event: AvailabilityEvent): Availability {
  switch (event.kind) {
    case "welcomed":
      return { ...state, isUp: true, isEnabled: event.isEnabled };
    case "down":
      return { ...state, isUp: false };
    case "enabled":
      // Enabling in the dashboard also ends a drain.
      return { ...state, isEnabled: true, isDraining: false };
    case "disabled":
      return { ...state, isEnabled: false };
    case "draining":
      return { ...state, isDraining: true };
    case "run_started":
      return { ...state, runsLeft: state.runsLeft - 1 };
  }
}

export function isOpen({ isEnabled, isDraining, runsLeft }: Availability): boolean {
  return isEnabled && !isDraining && runsLeft > 0;
}
