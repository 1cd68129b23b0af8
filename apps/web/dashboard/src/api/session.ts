/**
 * The session state of this tab. An expired session leaves the page and typed text in place and opens sign-in on top. Without an earlier
 * session, sign-in replaces the page.
 */
import { createStore } from "../store.ts";

export type Session =
  | { readonly kind: "asking" }
  | { readonly kind: "out" }
  | { readonly kind: "in"; readonly accountId: string }
  | { readonly kind: "expired"; readonly accountId: string };

export const session = createStore<Session>({ kind: "asking" });

/**
 * Called when a response was 401.
 *
 * @param since the session when the request was sent: a late response from before a sign-in says nothing about the new session.
 */
export function noteRefused(since: Session): void {
  const now = session.get();
  if (now !== since) return;
  if (now.kind === "in") session.set({ kind: "expired", accountId: now.accountId });
  if (now.kind === "asking") session.set({ kind: "out" });
}
