// For programs and types: pages are served the file of the client itself, see page-assets.ts.
export * from "@triptych/client/receipt.js";
