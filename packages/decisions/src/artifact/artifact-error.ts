/** Why a file is rejected: it is used only if it is complete and compatible. */
export type ArtifactErrorCode =
  | "not_an_artifact"
  | "wrong_kind"
  | "newer_version"
  | "bad_length"
  | "bad_checksum"
  | "bad_header"
  | "trunk_mismatch";

export class ArtifactError extends Error {
  readonly code: ArtifactErrorCode;

  constructor(code: ArtifactErrorCode, message: string) {
    super(message);
    this.name = "ArtifactError";
    this.code = code;
  }
}
