export interface Labelled {
  readonly text: string;
  readonly label: string;
}

export interface Kinded extends Labelled {
  readonly kind: string;
}

export function isLabelled(row: unknown): row is Labelled {
  return isText(row) && typeof Reflect.get(row, "label") === "string";
}

export function isKinded(row: unknown): row is Kinded {
  return isLabelled(row) && typeof Reflect.get(row, "kind") === "string";
}

export function isText(row: unknown): row is { readonly text: string } {
  return typeof row === "object" && row !== null && typeof Reflect.get(row, "text") === "string";
}
