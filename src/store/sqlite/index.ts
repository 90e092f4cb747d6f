export { chooseDatabaseFile } from './database-file.ts';
export { importFromOriginal } from './import-original.ts';
export type { IntegrityReport } from './integrity.ts';
export { isDatabaseFile } from './database-file.ts';
export {
  backUpDatabase,
  checkIntegrity,
  optimizeDatabase,
  rebuildSearchIndex,
  repairDatabase,
} from './run-in-worker.ts';
export { type LeasedDatabase, listFileLeases, lockDatabase } from './lock-database.ts';
export { openSqliteStore, type SqliteStoreOptions } from './open-store.ts';
export type { OptimizeReport } from './optimize.ts';
export type { RepairedTable, RepairReport } from './repair.ts';
