/** How a setting is shown and typed. */
export type FieldKind =
  | { readonly kind: "text" | "command" | "long" | "lines" | "members"; readonly optional?: true }
  | {
      readonly kind: "count";
      readonly least: number;
      readonly most?: number;
      readonly unit?: string;
      readonly optional?: true;
    }
  /** Micro-euros, typed in euros. */
  | { readonly kind: "euros"; readonly optional?: true }
  | { readonly kind: "switch"; readonly caption: string }
  /** Any number of these values, with their labels. */
  | { readonly kind: "set"; readonly of: readonly (readonly [string, string])[] }
  | { readonly kind: "choice"; readonly of: readonly (string | readonly [string, string])[] };

export type SettingField = FieldKind & {
  /** Member names, joined by dots: `limits.max_tokens`. */
  readonly path: string;
  readonly label: string;
  readonly hint?: string;
};

export interface SettingGroup {
  readonly name: string;
  readonly about?: string;
  readonly fields: readonly SettingField[];
}
