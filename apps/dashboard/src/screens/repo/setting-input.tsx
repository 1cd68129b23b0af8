/** One setting as a field of the form, named by its path. */
import { Field, faultAt } from "../../components/field.tsx";
import { MembersField } from "./members-field.tsx";
import type { SettingField } from "./settings-fields.ts";
import { pointerOf, textOf, valueAt } from "./settings-patch.ts";

interface SettingInputProps {
  readonly field: SettingField;
  readonly seen: unknown;
  readonly error: unknown;
  readonly onChange: () => void;
}

export function SettingInput({ field, seen, error, onChange }: SettingInputProps) {
  const { path, label, hint } = field;
  const fault = faultAt(error, pointerOf(path));
  const text = textOf(field, valueAt(seen, path));
  if (field.kind === "members")
    return <MembersField label={label} hint={hint} fault={fault} name={path} seen={text} onChange={onChange} />;
  if (field.kind === "switch")
    return (
      <Field label={label} hint={hint} fault={fault}>
        {(given) => (
          <span className="check">
            <input {...given} type="checkbox" name={path} defaultChecked={text === "on"} /> {field.words}
          </span>
        )}
      </Field>
    );
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(given) => {
        if (field.kind === "choice")
          return (
            <select {...given} name={path} defaultValue={text}>
              {field.of.map((one) => {
                const [value, words] = typeof one === "string" ? [one, one] : one;
                return (
                  <option key={value} value={value}>
                    {words}
                  </option>
                );
              })}
            </select>
          );
        if (field.kind === "long" || field.kind === "lines")
          return (
            <textarea
              {...given}
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
                {...given}
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
              <input {...given} name={path} className="number" inputMode="decimal" defaultValue={text} />
              <span className="soft">€</span>
            </span>
          );
        return (
          <input
            {...given}
            name={path}
            defaultValue={text}
            required={field.optional !== true}
            spellCheck={false}
            className={field.kind === "command" ? "code" : undefined}
            autoComplete="off"
          />
        );
      }}
    </Field>
  );
}
