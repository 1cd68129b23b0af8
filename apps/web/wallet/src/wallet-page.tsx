/** `/wallet`: sign-in with a wallet token, then everything that this token may see and do. */
import { EMAIL_MAX } from "@triptych/contracts/plain";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton, onSubmit, Pairs, valueOf } from "../../shared/components.tsx";
import { useAction, useLoad, useRequestKey, type Action } from "../../shared/hooks.ts";
import { AgentTokens, useTokens } from "./agent-tokens.tsx";
import { createApi, forgetToken, isUnauthorized, keepToken, rail, storedToken, type Session } from "./api.ts";
import { AutoTopUp } from "./auto-top-up.tsx";
import { BalanceHistory } from "./balance-history.tsx";
import { Caps } from "./caps.tsx";
import { Entries } from "./entries.tsx";
import { COPY, Frame, Refused } from "./frame.tsx";
import { Rotate } from "./rotate.tsx";
import { StatementForm } from "./statement-form.tsx";
import { TopUp } from "./top-up.tsx";
import { Usage } from "./usage.tsx";
import { format, say } from "./words.ts";

interface Opened extends Pick<Session, "api" | "wallet" | "readAt" | "version"> {}

export function WalletPage() {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [created, setCreated] = useState<{ readonly token: string; readonly text: string } | null>(null);
  const signIn = useAction();
  const refreshing = useAction();
  const catalog = useLoad(rail.catalog, []);

  const open = (token: string) =>
    signIn.run(async () => {
      const api = createApi(token);
      try {
        const wallet = await api.wallet();
        keepToken(token);
        setOpened({ api, wallet, readAt: Date.now(), version: 0 });
      } catch (error) {
        // A rejected token only; a temporary outage must not remove it.
        if (isUnauthorized(error)) forgetToken();
        throw error;
      }
    });
  const leave = () => {
    forgetToken();
    setOpened(null);
    setCreated(null);
  };
  const refresh = () =>
    refreshing.run(async () => {
      if (opened === null) return;
      try {
        const wallet = await opened.api.wallet();
        setOpened({ ...opened, wallet, readAt: Date.now(), version: opened.version + 1 });
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
        leave();
        await signIn.run(() => Promise.reject(error));
      }
    });
  const present = (token: string, text: string) => setCreated({ token, text });
  useEffect(() => {
    const token = storedToken();
    if (token !== null) void open(token);
  }, []);

  return (
    <Frame title={say("wallet")} isTest={catalog.data?.topup.provider === "test"}>
      <div class="head">
        <h1>{say("wallet")}</h1>
        {opened !== null && (
          <div id="session">
            <button id="refresh" type="button" disabled={refreshing.busy} onClick={() => void refresh()}>
              {say("refresh")}
            </button>
            <button id="forget" type="button" onClick={leave}>
              {say("removeToken")}
            </button>
          </div>
        )}
      </div>
      {created !== null && <NewToken {...created} onSaved={() => setCreated(null)} />}
      {opened === null ? (
        <SignIn signIn={signIn} open={open} present={present} />
      ) : catalog.data === null && catalog.error === null ? (
        // Its sections are in the middle of the page: the ones below would move.
        <p role="status">{say("loading")}</p>
      ) : (
        <Contents session={{ ...opened, refresh, present }} catalog={catalog} refreshing={refreshing} open={open} />
      )}
    </Frame>
  );
}

function NewToken(props: { readonly token: string; readonly text: string; readonly onSaved: () => void }) {
  return (
    <div id="new-token-box" class="notice" role="status">
      <p>
        <strong id="new-token-what">{props.text}</strong>
      </p>
      <pre id="new-token" class="secret" ref={(box) => box?.scrollIntoView({ block: "center" })}>
        {props.token}
      </pre>
      <div class="together">
        <CopyButton id="new-token-copy" text={props.token} labels={COPY} />
        <button id="new-token-kept" type="button" onClick={props.onSaved}>
          {say("saved")}
        </button>
      </div>
    </div>
  );
}

interface SignInProps extends Pick<Session, "present"> {
  readonly signIn: Action;
  readonly open: (token: string) => Promise<void>;
}

function SignIn({ signIn, open, present }: SignInProps) {
  const create = useAction();
  const request = useRequestKey();
  const make = (email: string) =>
    create.run(async () => {
      const { wallet_token } = await rail.createWallet(email, request.keyOf(email));
      request.done();
      present(wallet_token, say("newWallet"));
      await open(wallet_token);
    });
  // The token that this tab had before stays out of the form.
  if (signIn.busy && storedToken() !== null) return <p role="status">{say("loading")}</p>;
  return (
    <div id="closed">
      <section aria-labelledby="open-title">
        <h2 id="open-title">{say("openTitle")}</h2>
        <form
          onSubmit={onSubmit(
            (form) => valueOf(form, "token").trim() !== "" && void open(valueOf(form, "token").trim()),
          )}
        >
          <label for="token">{say("token")}</label>
          <div class="together">
            <input
              id="token"
              type="password"
              autocomplete="off"
              spellcheck={false}
              maxLength={200}
              aria-describedby="token-refused token-why"
            />
            <button class="primary" disabled={signIn.busy}>
              {say("open")}
            </button>
          </div>
          <p id="token-why" class="why soft">
            {say("tokenWhy")}
          </p>
        </form>
        <Refused id="token-refused" error={signIn.error} />
      </section>
      <section aria-labelledby="make-title">
        <h2 id="make-title">{say("createTitle")}</h2>
        <form onSubmit={onSubmit((form) => void make(valueOf(form, "email")))}>
          <label for="email">{say("email")}</label>
          <div class="together">
            <input
              id="email"
              type="email"
              autocomplete="email"
              maxLength={EMAIL_MAX}
              required
              aria-describedby="make-refused make-why"
            />
            <button disabled={create.busy}>{say("createWallet")}</button>
          </div>
          <p id="make-why" class="why soft">
            {say("createWhy")}
          </p>
        </form>
        <Refused id="make-refused" error={create.error} />
      </section>
    </div>
  );
}

interface ContentsProps {
  readonly session: Session;
  readonly catalog: ReturnType<typeof useLoad<Awaited<ReturnType<typeof rail.catalog>>>>;
  readonly refreshing: Action;
  readonly open: (token: string) => Promise<void>;
}

function Contents({ session, catalog, refreshing, open }: ContentsProps) {
  const { wallet } = session;
  const isMain = wallet.token === null;
  const tokens = useTokens(session);
  const topup = catalog.data?.topup;
  return (
    <div id="contents">
      <Balance session={session} error={refreshing.error} />
      {isMain && <Refused id="catalog-refused" error={catalog.error} />}
      {isMain && topup !== undefined && <TopUp session={session} topup={topup} />}
      {/* A manual provider cannot charge a saved payment method. */}
      {isMain && topup !== undefined && topup.provider !== "manual" && (
        <AutoTopUp session={session} minimumMicro={topup.min_micro} />
      )}
      <Caps session={session} />
      {isMain && <AgentTokens session={session} tokens={tokens} />}
      <Usage session={session} />
      <Entries session={session} tokens={tokens.items ?? []} />
      <StatementForm session={session} />
      {isMain && <Rotate session={session} open={open} />}
    </div>
  );
}

function Balance({ session, error }: { readonly session: Session; readonly error: unknown }) {
  const { wallet } = session;
  const { balance_micro, decisions_remaining, paid_micro, promo_micro, promo_expires_at, token } = wallet;
  const expires = promo_micro > 0 && promo_expires_at !== null ? format.day(promo_expires_at) : null;
  const promo = format.euro(promo_micro);
  const pairs: readonly (readonly [string, ComponentChildren])[] =
    token === null
      ? [
          [say("paid"), format.euro(paid_micro)],
          [say("starterCredit"), expires === null ? promo : say("creditExpires", { amount: promo, day: expires })],
          [say("wallet"), wallet.wallet_id],
          [say("label"), wallet.label ?? say("none")],
          [say("owner"), wallet.email_masked ?? say("none")],
          [say("tokenHint"), `… ${wallet.token_hint}`],
        ]
      : [
          [say("agentToken"), `${token.name} (… ${wallet.token_hint})`],
          [say("wallet"), wallet.wallet_id],
          [say("expires"), token.expires_at === null ? say("never") : format.time(token.expires_at)],
          [say("operations"), token.ops?.join(", ") ?? say("allOperations")],
        ];
  return (
    <section aria-labelledby="balance-title">
      <h2 id="balance-title">{say(token === null ? "balance" : "spendable")}</h2>
      <div class="balance" role="status">
        <strong id="balance-figure">{format.euro(balance_micro)}</strong>
        <span id="balance-decisions" class="soft">
          {say("decisionsAt", { count: decisions_remaining, price: format.euro(wallet.price_micro) })}
        </span>
      </div>
      {token !== null && <p class="why soft">{say("agentTokenWhy")}</p>}
      {wallet.status === "frozen" && (
        <p id="frozen" class="notice">
          {say("frozen")}
        </p>
      )}
      <Refused id="away" error={error} />
      <div id="balance-parts">
        <Pairs pairs={pairs} />
      </div>
      {token === null && <BalanceHistory session={session} />}
    </section>
  );
}
