export { FILE_FORMATS, type FileFormat } from "./detect.ts";
export {
  createImport,
  ImportRefused,
  type AcceptedRow,
  type Import,
  type ImportFile,
  type ImportOptions,
  type OpenedFile,
  type RejectedRow,
  type RowOutcome,
} from "./import-run.ts";
export {
  parseMapping,
  readMapping,
  readSource,
  type ImportSource,
  type Mapping,
  type MappingIssue,
} from "./mapping.ts";
export { loadOutlines, type OutlineFaults, type Boundaries } from "./boundaries.ts";
export { DEFAULT_REJECT_LIMIT, isOverLimit, parseRejectLimit, type ImportReport, type RejectLimit } from "./report.ts";
export { renderIssues, renderPreview, renderReport, unitOf } from "./render-report.ts";
export { EMPTY_SLUG_STORE, type SlugStore, type SlugOwner } from "./slug-registry.ts";
export type { CountedLabel } from "./tag-labels.ts";
