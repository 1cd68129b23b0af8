import { AUTO_TOPUPS_PER_MONTH_MAX, TOPUP_MAX_MICRO } from "@triptych/contracts";
import { html, type Html } from "@triptych/server";

const EURO_MICRO = 1_000_000;

export interface AutoTopUpFacts {
  readonly minimumMicro: number;
  /** The provider can charge a saved payment method; otherwise there is no section. */
  readonly savesMethods: boolean;
}

export function autoTopUpSection({ minimumMicro, savesMethods }: AutoTopUpFacts): Html {
  if (!savesMethods) return html``;
  const least = (minimumMicro / EURO_MICRO).toFixed(2);
  const most = TOPUP_MAX_MICRO / EURO_MICRO;
  return html`<section aria-labelledby="auto-title">
    <h2 id="auto-title">Automatic top-up</h2>
    <p id="auto-state" role="status"></p>
    <form id="auto-form">
      <div class="fields">
        <div>
          <label for="auto-threshold">When the balance falls below (EUR)</label>
          <input
            id="auto-threshold"
            type="number"
            inputmode="decimal"
            min="0.01"
            max="${most}"
            step="0.01"
            value="2.00"
            required
          />
        </div>
        <div>
          <label for="auto-amount">Add (EUR)</label>
          <input
            id="auto-amount"
            type="number"
            inputmode="decimal"
            min="${least}"
            max="${most}"
            step="0.01"
            value="10.00"
            required
          />
        </div>
        <div>
          <label for="auto-most">Times a month, at most</label>
          <input
            id="auto-most"
            type="number"
            inputmode="numeric"
            min="1"
            max="${AUTO_TOPUPS_PER_MONTH_MAX}"
            step="1"
            value="3"
            required
          />
        </div>
      </div>
      <div class="together">
        <button id="auto-on">Switch on</button><button id="auto-off" type="button" hidden>Switch off</button>
      </div>
      <p class="why soft">
        While it is on, each top-up on this page saves its payment method. The first failed payment stops automatic
        top-up. Switching off forgets the payment method.
      </p>
    </form>
    <p id="auto-refused" class="refused" role="alert"></p>
  </section>`;
}
