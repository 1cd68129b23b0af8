/** The request: text, operation, expert, limits. */
import type { ComponentChildren } from "preact";
import { MAX_ERROR_MAX, MAX_ERROR_MIN, OPTIONS_MAX, STATE_MAX } from "@triptych/contracts";
import type { Expert, Operation, Service } from "./api.ts";
import { choosesRoute, type Form } from "./request.ts";
import { euro, say } from "./words.ts";

const EXAMPLES = [
  "What's the weather in Paris tomorrow?",
  "Convertis 30 miles en kilomètres, s'il te plaît",
  "I was charged twice and I want to talk to a human",
  "Hi, how are you?",
  "Compare three laptops, book the cheapest one, then write to my team about it",
] as const;

const OPERATIONS = ["route", "decide", "noul", "score", "assess"] as const satisfies readonly Operation[];

export const FIRST_FORM: Form = {
  operation: "route",
  text: EXAMPLES[0],
  asMessages: false,
  decider: "",
  otherDecider: null,
  options:
    "refund: the customer wants money back\ndelivery: where a parcel is, when it arrives\ninvoice: a copy of a bill\nescalate: a person has to take over",
  minConf: "",
  maxError: "",
};

interface RequestFormProps {
  readonly form: Form;
  readonly experts: readonly Expert[];
  readonly paid: Service["paid"];
  /** The field of the credential. */
  readonly credential: ComponentChildren;
  onChange(change: Partial<Form>): void;
  onSubmit(): void;
}

export function RequestForm({ form, experts, paid, credential, onChange, onSubmit }: RequestFormProps) {
  const chooses = choosesRoute(form.operation);
  const isCompared = chooses && form.otherDecider !== null;
  return (
    <form
      id="question"
      aria-label={say("request")}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {paid !== null && credential}
      <TextField form={form} onChange={onChange} />
      <div class="examples" role="group" aria-label={say("examples")}>
        {EXAMPLES.map((text) => (
          <button
            key={text}
            type="button"
            class="example"
            onClick={() => onChange({ text: `${form.asMessages ? "user: " : ""}${text}` })}
          >
            {text}
          </button>
        ))}
      </div>
      <div>
        <label for="operation">{say("operation")}</label>
        <select
          id="operation"
          value={form.operation}
          onInput={({ currentTarget }) => onChange({ operation: operationOf(currentTarget.value) })}
        >
          {OPERATIONS.map((name) => (
            <option key={name} value={name}>
              {say(`op_${name}`)}
            </option>
          ))}
        </select>
      </div>
      <div id="choosing" hidden={!chooses}>
        <div class="fields">
          <ExpertField
            id="expert"
            label={say("expert")}
            of={form.decider}
            experts={experts}
            onChange={(decider) => onChange({ decider })}
          />
          <NumberField
            id="min-conf"
            label={say("minConfidence")}
            hint="0.55"
            of={form.minConf}
            limits={[0, 1, 0.01]}
            onChange={(minConf) => onChange({ minConf })}
          />
          <NumberField
            id="max-error"
            label={say("maxError")}
            hint={say("any")}
            of={form.maxError}
            limits={[MAX_ERROR_MIN, MAX_ERROR_MAX, 0.001]}
            onChange={(maxError) => onChange({ maxError })}
          />
        </div>
        <label class="check">
          <input
            id="compare"
            type="checkbox"
            checked={isCompared}
            onInput={({ currentTarget }) =>
              onChange({ otherDecider: currentTarget.checked ? firstOther(form.decider, experts) : null })
            }
          />{" "}
          {say("compare")}
        </label>
        {isCompared && (
          <ExpertField
            id="other-expert"
            label={say("otherExpert")}
            of={form.otherDecider ?? ""}
            experts={experts}
            onChange={(otherDecider) => onChange({ otherDecider })}
          />
        )}
      </div>
      <div id="own-options" hidden={!chooses || (form.decider !== "options" && form.otherDecider !== "options")}>
        <label for="options">
          {say("options")} <code>{say("optionForm")}</code>
        </label>
        <textarea
          id="options"
          rows={5}
          spellcheck={false}
          aria-describedby="options-why"
          value={form.options}
          onInput={({ currentTarget }) => onChange({ options: currentTarget.value })}
        />
        <p id="options-why" class="why soft">
          {say("optionsWhy", { max: OPTIONS_MAX })}
        </p>
      </div>
      {paid === null && credential}
      <div class="together">
        <button class="primary">{say("decide")}</button>{" "}
        <span id="cost" class="small soft">
          {paid !== null && costOf(paid.price_micro, isCompared)}
        </span>
      </div>
    </form>
  );
}

function costOf(priceMicro: number, isCompared: boolean): string {
  return say(isCompared ? "costOfTwo" : "cost", { price: euro(priceMicro) });
}

function operationOf(value: string): Operation {
  return OPERATIONS.find((name) => name === value) ?? "route";
}

/** What is not chosen on the left. */
function firstOther(decider: string, experts: readonly Expert[]): string {
  return ["", ...experts.map(({ name }) => name)].find((name) => name !== decider) ?? "options";
}

function TextField({ form, onChange }: Pick<RequestFormProps, "form" | "onChange">) {
  return (
    <div>
      <div class="labelled">
        <label for="state">{say("requestText")}</label>
        <label class="check">
          <input
            id="as-messages"
            type="checkbox"
            checked={form.asMessages}
            onInput={({ currentTarget }) => onChange({ asMessages: currentTarget.checked })}
          />{" "}
          {say("asConversation")}
        </label>
      </div>
      <textarea
        id="state"
        rows={4}
        maxLength={STATE_MAX}
        spellcheck={false}
        autocomplete="off"
        value={form.text}
        onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
      />
      <p id="messages-why" class="why soft" hidden={!form.asMessages}>
        {say("conversationWhy")}
      </p>
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly of: string;
  onChange(value: string): void;
}

export function deciderTitle(decider: string): string {
  return decider === "" ? say("automatic") : decider === "options" ? say("customOptions") : decider;
}

function ExpertField({ id, label, of, experts, onChange }: FieldProps & Pick<RequestFormProps, "experts">) {
  return (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={of} onInput={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{deciderTitle("")}</option>
        {experts.map(({ name, routes }) => (
          <option key={name} value={name}>
            {say("routesOf", { name, count: routes.length })}
          </option>
        ))}
        <option value="options">{deciderTitle("options")}</option>
      </select>
    </div>
  );
}

interface NumberFieldProps extends FieldProps {
  readonly hint: string;
  readonly limits: readonly [min: number, max: number, step: number];
}

function NumberField({ id, label, of, hint, limits: [min, max, step], onChange }: NumberFieldProps) {
  return (
    <div>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={min}
        max={max}
        step={step}
        placeholder={hint}
        value={of}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}
