/** Why a sentence encoder cannot be used: one sentence for the operator with the remedy. */
export class EncoderError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderError";
  }
}
