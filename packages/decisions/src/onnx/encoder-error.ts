/** Why a sentence encoder cannot be used, for whoever starts the program: one sentence that says what to do. */
export class EncoderFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EncoderFault";
  }
}
