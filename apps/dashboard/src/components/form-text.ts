/** Empty where the field is missing. */
export function typed(form: HTMLFormElement | FormData, name: string): string {
  const value = (form instanceof FormData ? form : new FormData(form)).get(name);
  return typeof value === "string" ? value : "";
}
