/** All values of a name, one per line: of boxes that may be checked together. */
export function typedSet(form: FormData, name: string): string {
  return form
    .getAll(name)
    .filter((value) => typeof value === "string")
    .join("\n");
}

/** Empty if the field is missing. */
export function typed(form: HTMLFormElement | FormData, name: string): string {
  const value = (form instanceof FormData ? form : new FormData(form)).get(name);
  return typeof value === "string" ? value : "";
}
