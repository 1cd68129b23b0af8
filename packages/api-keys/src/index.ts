export {
  generateKey,
  hashKey,
  keyText,
  liveAndTest,
  parseKey,
  SERVICE_FORM,
  timingSafeMatcher,
  type KeyForm,
  type ParsedKey,
} from "./key.ts";
export {
  KeyError,
  type ApiKey,
  type DailyItems,
  type KeyErrorCode,
  type KeyPlan,
  type KeyPlans,
  type KeyState,
} from "./key-record.ts";
export type { KeyChange, KeyChanges, KeyStore, KeyWithSecrets, StoredSecret } from "./key-store.ts";
export {
  createKeys,
  type ApiKeyService,
  type KeySettings,
  type KeysOptions,
  type KeyWithSecret,
  type NewKey,
} from "./keys.ts";
export { openKeyCache, type KeyCache, type KeyCacheOptions, type KeyVerdict } from "./key-cache.ts";
export { openKeyStore, type ApiKeyTables } from "./store/key-store.ts";
