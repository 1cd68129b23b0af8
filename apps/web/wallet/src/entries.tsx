/** The entries, newest first, page by page, with filters. A charge links to its receipt; the chain is verified here. */
import { verifyChain, type ChainReport } from "@triptych/client/entry-chain";
import { ENTRY_KINDS } from "@triptych/contracts/plain";
import { useState } from "preact/hooks";
import { useAction, usePages } from "../../shared/hooks.ts";
import type { Api, Entry, EntryFilter, Session, WalletToken } from "./api.ts";
import { Refused } from "./frame.tsx";
import { ChainVerdict, Mark } from "./verdicts.tsx";
import { format, say } from "./words.ts";

const DAY_MS = 86_400_000;
const PAGE = 50;
const CHAIN_PAGE = 200;
/** Loading these entries takes half a minute. */
const CHAIN_MAX = 20_000;

interface EntriesProps {
  readonly session: Session;
  readonly tokens: readonly WalletToken[];
}

export function Entries({ session, tokens }: EntriesProps) {
  const { api, version } = session;
  const [filter, setFilter] = useState<EntryFilter>({});
  const entries = usePages(
    (cursor, signal) => api.entries({ ...filter, limit: PAGE, ...(cursor !== null && { cursor }) }, signal),
    [api, version, filter],
  );
  const receipt = useAction();
  /** The verification page reads the receipt from its URL fragment, which browsers do not send. */
  const prove = (id: string) =>
    receipt.run(async () => location.assign(`/verify${location.search}#receipt=${await api.receipt(id)}`));
  const nameOf = ({ token_id }: Entry) => tokens.find((token) => token.token_id === token_id)?.name;
  const { items } = entries;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <section aria-labelledby="entries-title">
      <h2 id="entries-title">{say("transactions")}</h2>
      <Filters tokens={tokens} onChange={setFilter} />
      <p id="entries-said" class="said soft" role="status">
        {items === null && entries.busy
          ? say("loading")
          : items?.length === 0
            ? say(isFiltered ? "noMatch" : "noEntries")
            : ""}
      </p>
      <Refused id="entries-refused" error={entries.error ?? receipt.error} />
      {items !== null && items.length > 0 && (
        <table id="entries" aria-labelledby="entries-title" aria-busy={entries.busy}>
          <thead>
            <tr>
              <th scope="col" class="seq">
                {say("number")}
              </th>
              <th scope="col">{say("description")}</th>
              <th scope="col" class="amount">
                {say("amountColumn")}
              </th>
              <th scope="col" class="amount">
                {say("balance")}
              </th>
              <th scope="col">{say("date")}</th>
              <td />
            </tr>
          </thead>
          <tbody id="entry-rows">
            {items.map((entry) => (
              <Row key={entry.id} entry={entry} payer={nameOf(entry)} prove={(id) => void prove(id)} />
            ))}
          </tbody>
        </table>
      )}
      <div class="together">
        {entries.hasMore && (
          <button id="more" type="button" disabled={entries.busy} onClick={entries.more}>
            {say("loadMore")}
          </button>
        )}
        {session.wallet.token === null && <VerifyEntries api={api} />}
      </div>
    </section>
  );
}

interface RowProps {
  readonly entry: Entry;
  /** The name of the sub-token that paid. */
  readonly payer: string | undefined;
  readonly prove: (id: string) => void;
}

function Row({ entry, payer, prove }: RowProps) {
  const { seq, kind, op, amount_micro, balance_after_micro, created_at, charge_id } = entry;
  return (
    <tr class={kind}>
      <td class="seq soft">{seq}</td>
      <th scope="row">
        {kind === "charge" && op !== null ? op : say(`kind_${kind}`)}
        {kind !== "charge" && op !== null && <span class="soft"> {op}</span>}
        {payer !== undefined && <span class="soft"> {payer}</span>}
      </th>
      <td class={amount_micro > 0 ? "amount gain" : "amount"}>{format.change(amount_micro)}</td>
      <td class="amount after">{format.columnEuro(balance_after_micro)}</td>
      <td class="time">
        <time dateTime={created_at}>{format.time(created_at)}</time>
      </td>
      <td class="proof">
        {kind === "charge" && charge_id !== null && (
          <button
            type="button"
            class="plain"
            data-charge={charge_id}
            aria-label={say("receiptOf", { seq: String(seq) })}
            onClick={() => prove(charge_id)}
          >
            {say("receipt")}
          </button>
        )}
      </td>
    </tr>
  );
}

interface FiltersProps extends Pick<EntriesProps, "tokens"> {
  readonly onChange: (filter: EntryFilter) => void;
}

function Filters({ tokens, onChange }: FiltersProps) {
  const [fields, setFields] = useState({ kind: "", token: "", since: "", until: "" });
  const change = (field: keyof typeof fields) => (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement | HTMLSelectElement;
    const next = { ...fields, [field]: value };
    setFields(next);
    const kind = ENTRY_KINDS.find((each) => each === next.kind);
    onChange({
      ...(kind !== undefined && { kind: [kind] }),
      ...(next.token !== "" && { token: next.token }),
      ...(next.since !== "" && { since: startOf(next.since) }),
      // The last day is included.
      ...(next.until !== "" && { until: startOf(next.until, DAY_MS) }),
    });
  };
  return (
    <div class="fields">
      <div>
        <label for="filter-kind">{say("kind")}</label>
        <select id="filter-kind" onChange={change("kind")}>
          <option value="">{say("allKinds")}</option>
          {ENTRY_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {say(`kind_${kind}`)}
            </option>
          ))}
        </select>
      </div>
      {tokens.length > 0 && (
        <div>
          <label for="filter-token">{say("paidBy")}</label>
          <select id="filter-token" onChange={change("token")}>
            <option value="">{say("allTokens")}</option>
            {tokens.map(({ token_id, name, token_hint }) => (
              <option key={token_id} value={token_id}>
                {name} (… {token_hint})
              </option>
            ))}
          </select>
        </div>
      )}
      <div>
        <label for="filter-since">{say("from")}</label>
        <input id="filter-since" type="date" onChange={change("since")} />
      </div>
      <div>
        <label for="filter-until">{say("to")}</label>
        <input id="filter-until" type="date" onChange={change("until")} />
      </div>
    </div>
  );
}

function startOf(day: string, laterMs = 0): string {
  return new Date(Date.parse(day) + laterMs).toISOString();
}

function VerifyEntries({ api }: { readonly api: Api }) {
  const [report, setReport] = useState<ChainReport | "too_long" | null>(null);
  const action = useAction();
  const verify = () =>
    action.run(async (signal) => {
      setReport(null);
      const entries = await allEntries(api, signal);
      setReport(entries === null ? "too_long" : await verifyChain(entries));
    });
  return (
    <>
      <button id="verify-entries" type="button" disabled={action.busy} onClick={() => void verify()}>
        {say("verifyChain")}
      </button>
      <div id="entries-verdict" role="status" class="verdict">
        {action.busy && say("loading")}
        {report === "too_long" && (
          <Mark kind="unsure" label={say("notChecked")} text={say("chainTooLong", { count: CHAIN_MAX })} />
        )}
        {report !== null && report !== "too_long" && <ChainVerdict report={report} />}
      </div>
      <Refused id="chain-refused" error={action.error} />
    </>
  );
}

/** Null for more than `CHAIN_MAX`: a chain is verified from its first entry, so a part of it proves nothing. */
async function allEntries(api: Api, signal: AbortSignal): Promise<readonly Entry[] | null> {
  const entries: Entry[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    if (entries.length >= CHAIN_MAX) return null;
    const page: Awaited<ReturnType<Api["entries"]>> = await api.entries(
      { limit: CHAIN_PAGE, ...(cursor !== undefined && { cursor }) },
      signal,
    );
    entries.push(...page.items);
    cursor = page.next_cursor;
  }
  return entries;
}
