/**
 * Who is signed in, as far as this tab knows. A session that ran out leaves the page and what was typed where they are: sign-in is asked
 * for on top, and the page goes on afterwards. Where there never was one, sign-in stands in the place of the page.
 */
import { createStore } from "../store.ts";

export type Session =
  | { readonly kind: "asking" }
  | { readonly kind: "out" }
  | { readonly kind: "in"; readonly accountId: string }
  | { readonly kind: "expired"; readonly accountId: string };

export const session = createStore<Session>({ kind: "asking" });

/** An answer was 401. */
export function noteRefused(): void {
  const now = session.get();
  if (now.kind === "in") session.set({ kind: "expired", accountId: now.accountId });
  if (now.kind === "asking") session.set({ kind: "out" });
}
