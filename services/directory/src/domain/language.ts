/** Language of pages, labels and problems. */
export type Language = "fr" | "en";
