/** `/favicon.ico`: three panels on blue, 32 x 32 pixels as PNG in an ICO file. */
export const FAVICON: Buffer = Buffer.from(
  "AAABAAEAICAAAAEAIAB4AAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAD9JREFUeNpjYBgFUMAds/Y/" +
    "PfGoAwavA/ABQmpIMWPUAaMOGHXAqANGHTDqgFEHjDpg1AGD1wGjreKR64ARCwB7p1bIdziQpQAAAABJRU5ErkJggg==",
  "base64",
);
