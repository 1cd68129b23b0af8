/** Sub-tokens for agents: list, creation, revocation. Only the main token may ask for them. */
import { CHARGED_OPERATIONS, TOKEN_NAME_MAX } from "@triptych/contracts/plain";
import { useState } from "preact/hooks";
import { Confirm, onSubmit, Pairs, valueOf } from "../../shared/components.tsx";
import { useAction, usePages, useRequestKey } from "../../shared/hooks.ts";
import type { WalletToken, Session } from "./api.ts";
import { CapFields, capsIn, Spending } from "./caps.tsx";
import { Refused } from "./frame.tsx";
import { format, say } from "./words.ts";

export type Tokens = ReturnType<typeof useTokens>;

/** Returns none for a sub-token, which may not list them. */
export function useTokens({ api, wallet, version }: Session) {
  const isMain = wallet.token === null;
  return usePages<WalletToken>(
    async (cursor, signal) => (isMain ? api.tokens(cursor, signal) : { items: [], next_cursor: null }),
    [api, version],
  );
}

export function AgentTokens({ session, tokens }: { readonly session: Session; readonly tokens: Tokens }) {
  const { api, refresh } = session;
  const [revoking, setRevoking] = useState<WalletToken | null>(null);
  const action = useAction();
  const revoke = (id: string) =>
    action.run(async () => {
      await api.revokeToken(id);
      await refresh();
    });
  return (
    <section aria-labelledby="agents-title">
      <h2 id="agents-title">{say("agentTokens")}</h2>
      <p id="agents-said" class="said soft" role="status">
        {tokens.items === null && tokens.busy ? say("loading") : tokens.items?.length === 0 ? say("noAgentTokens") : ""}
      </p>
      <div id="agents">
        {tokens.items?.map((token) => (
          <AgentToken key={token.token_id} token={token} at={session.readAt} onRevoke={() => setRevoking(token)} />
        ))}
      </div>
      {tokens.hasMore && (
        <button type="button" disabled={tokens.busy} onClick={tokens.more}>
          {say("loadMore")}
        </button>
      )}
      <Refused id="agents-refused" error={action.error ?? tokens.error} />
      <NewAgentToken session={session} />
      {revoking !== null && (
        <Confirm
          title={say("revokeTitle")}
          text={say("revokeText", { name: revoking.name, hint: revoking.token_hint })}
          labels={{ yes: say("revokeToken"), no: say("cancel") }}
          onDone={(isConfirmed) => {
            setRevoking(null);
            if (isConfirmed) void revoke(revoking.token_id);
          }}
        />
      )}
    </section>
  );
}

interface AgentTokenProps {
  readonly token: WalletToken;
  readonly at: number;
  readonly onRevoke: () => void;
}

function AgentToken({ token, at, onRevoke }: AgentTokenProps) {
  const { caps, spent, ops, expires_at, state, name } = token;
  return (
    <article class="agent" data-token={token.token_id}>
      <h3>
        {name} <span class="soft">… {token.token_hint}</span> <span class="badge">{say(`state_${state}`)}</span>
      </h3>
      <Spending caps={caps} spent={spent} at={at} />
      <Pairs
        pairs={[
          [say("expires"), expires_at === null ? say("never") : format.time(expires_at)],
          [say("operations"), ops?.join(", ") ?? say("allOperations")],
        ]}
      />
      {state === "active" && (
        <button type="button" aria-label={say("revokeNamed", { name })} onClick={onRevoke}>
          {say("revoke")}
        </button>
      )}
    </article>
  );
}

function NewAgentToken({ session }: { readonly session: Session }) {
  const { api, refresh, present } = session;
  const action = useAction();
  const request = useRequestKey();
  const create = (form: HTMLFormElement) =>
    action.run(async () => {
      const ops = CHARGED_OPERATIONS.filter((op) => form.querySelector(`#op-${op}:checked`) !== null);
      const expires = valueOf(form, "agent-expires");
      const body = {
        name: valueOf(form, "agent-name"),
        caps: capsIn(form, "agent"),
        ...(ops.length > 0 && { ops }),
        ...(expires !== "" && { expires_at: new Date(expires).toISOString() }),
      };
      const { wallet_token } = await api.createToken(body, request.keyOf(body));
      request.done();
      form.reset();
      present(wallet_token, say("newAgentToken", { name: body.name }));
      await refresh();
    });
  return (
    <form id="agent-form" onSubmit={onSubmit((form) => void create(form))}>
      <h3>{say("newToken")}</h3>
      <div class="fields">
        <div>
          <label for="agent-name">{say("name")}</label>
          <input id="agent-name" autocomplete="off" maxLength={TOKEN_NAME_MAX} required />
        </div>
        <CapFields prefix="agent" />
        <div>
          <label for="agent-expires">{say("expiresLocal")}</label>
          <input id="agent-expires" type="datetime-local" />
        </div>
      </div>
      <fieldset>
        <legend>{say("operationsLegend")}</legend>
        {CHARGED_OPERATIONS.map((op) => (
          <label key={op} for={`op-${op}`}>
            <input id={`op-${op}`} type="checkbox" /> {op}
          </label>
        ))}
      </fieldset>
      <button id="agent-create" disabled={action.busy}>
        {say("createToken")}
      </button>
      <p class="why soft">{say("agentTokensWhy")}</p>
      <Refused id="agent-refused" error={action.error} />
    </form>
  );
}
