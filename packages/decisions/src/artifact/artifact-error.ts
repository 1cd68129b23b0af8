/** Why a file is refused. A file is either whole and meant for this engine, or it is one of these; it is never half used. */
export type ArtifactFaultCode =
  | "not_an_artifact"
  | "wrong_kind"
  | "newer_version"
  | "bad_length"
  | "bad_checksum"
  | "bad_header"
  | "trunk_mismatch";

export class ArtifactFault extends Error {
  readonly code: ArtifactFaultCode;

  constructor(code: ArtifactFaultCode, message: string) {
    super(message);
    this.name = "ArtifactFault";
    this.code = code;
  }
}
