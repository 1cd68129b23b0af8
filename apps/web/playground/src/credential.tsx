/** The field of a wallet token, or of a router's token once the router requires one. */
import type { Service } from "./api.ts";
import { say } from "./words.ts";

/** `sessionStorage` key of the wallet token in this tab. */
const SLOT = "triptych.gateway.token";

export function storedToken({ paid }: Service): string {
  return paid === null ? "" : (sessionStorage.getItem(SLOT) ?? "");
}

/** Stores the token after a decision that it has paid for. */
export function storeToken(token: string): void {
  sessionStorage.setItem(SLOT, token);
}

interface CredentialProps {
  readonly paid: Service["paid"];
  readonly token: string;
  readonly isStored: boolean;
  onChange(token: string): void;
  onForget(): void;
}

export function Credential({ paid, token, isStored, onChange, onForget }: CredentialProps) {
  const field = (
    <input
      id="token"
      type="password"
      autocomplete="off"
      spellcheck={false}
      maxLength={200}
      value={token}
      aria-describedby={paid === null ? undefined : "token-why"}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
  if (paid === null)
    return (
      <div id="token-needed">
        <label for="token">
          {say("routerToken")} (<code>ROUTER_TOKEN</code>)
        </label>
        {field}
      </div>
    );
  return (
    <div id="token-needed">
      <label for="token">{say("walletToken")}</label>
      <div class="together">
        {field}
        {isStored && (
          <button
            id="forget"
            type="button"
            onClick={() => {
              sessionStorage.removeItem(SLOT);
              onForget();
              document.getElementById("token")?.focus();
            }}
          >
            {say("remove")}
          </button>
        )}
      </div>
      <p id="token-why" class="why soft">
        {say("tokenWhy")}{" "}
        <a href={`${paid.rail}/wallet`} target="_blank" rel="noopener noreferrer">
          {say("createWallet")}
        </a>
        . {say("walletWhy")}
      </p>
    </div>
  );
}
