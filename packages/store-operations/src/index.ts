export { backupCommand, restoreCommand } from "./backup-commands.ts";
export { secretCommand } from "./secret-commands.ts";
export type { BackupOptions, Services, StoredService } from "./stored-service.ts";
