/** Why a sentence encoder cannot be used: one sentence for the operator with the remedy. */
export class EncoderFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderFault";
  }
}
