import { Field, errorAt, type FieldInputProps } from "../../components/field.tsx";
import { MembersField } from "./members-field.tsx";
import type { SettingField } from "./setting-field.ts";
import { pointerOf, textOf, valueAt } from "./settings-patch.ts";

interface SettingInputProps {
  readonly field: SettingField;
  readonly seen: unknown;
  readonly error: unknown;
  readonly onChange: () => void;
}

export function SettingInput({ field, seen, error, onChange }: SettingInputProps) {
  const { path, label, hint } = field;
  const fieldError = errorAt(error, pointerOf(path));
  const text = textOf(field, valueAt(seen, path));
  if (field.kind === "members")
    return <MembersField label={label} hint={hint} error={fieldError} name={path} seen={text} onChange={onChange} />;
  if (field.kind === "switch")
    return (
      <Field label={label} hint={hint} error={fieldError}>
        {(inputProps) => (
          <span className="check">
            <input {...inputProps} type="checkbox" name={path} defaultChecked={text === "on"} /> {field.caption}
          </span>
        )}
      </Field>
    );
  if (field.kind === "set")
    return (
      <fieldset className="field" aria-invalid={fieldError === undefined ? undefined : true}>
        <legend>{label}</legend>
        {field.of.map(([value, name]) => (
          <label key={value} className="check">
            <input type="checkbox" name={path} value={value} defaultChecked={text.split("\n").includes(value)} /> {name}
          </label>
        ))}
        <div className="about">
          {fieldError === undefined ? null : <p className="field-error">{fieldError}</p>}
          {hint === undefined ? null : <div className="soft">{hint}</div>}
        </div>
      </fieldset>
    );
  return (
    <Field label={label} hint={hint} error={fieldError}>
      {(inputProps) => <SettingControl field={field} text={text} inputProps={inputProps} />}
    </Field>
  );
}

interface SettingControlProps {
  readonly field: Exclude<SettingField, { readonly kind: "members" | "switch" | "set" }>;
  readonly text: string;
  readonly inputProps: FieldInputProps;
}

function SettingControl({ field, text, inputProps }: SettingControlProps) {
  const { path } = field;
  if (field.kind === "choice")
    return (
      <select {...inputProps} name={path} defaultValue={text}>
        {field.of.map((option) => {
          const [value, optionLabel] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={value} value={value}>
              {optionLabel}
            </option>
          );
        })}
      </select>
    );
  if (field.kind === "long" || field.kind === "lines")
    return (
      <textarea
        {...inputProps}
        name={path}
        rows={3}
        defaultValue={text}
        spellCheck={field.kind === "long"}
        className={field.kind === "lines" ? "code" : undefined}
      />
    );
  if (field.kind === "count")
    return (
      <span className="row">
        <input
          {...inputProps}
          name={path}
          className="number"
          type="number"
          inputMode="numeric"
          min={field.least}
          max={field.most}
          required={field.optional !== true}
          defaultValue={text}
        />
        {field.unit === undefined ? null : <span className="soft">{field.unit}</span>}
      </span>
    );
  if (field.kind === "euros")
    return (
      <span className="row">
        <input {...inputProps} name={path} className="number" inputMode="decimal" defaultValue={text} />
        <span className="soft">€</span>
      </span>
    );
  return (
    <input
      {...inputProps}
      name={path}
      defaultValue={text}
      required={field.optional !== true}
      spellCheck={false}
      className={field.kind === "command" ? "code" : undefined}
      autoComplete="off"
    />
  );
}
