/** Why a file is rejected. A file is either complete and compatible, or rejected as a whole. */
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
