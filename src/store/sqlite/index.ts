import type * as original from './import-original.ts';
import type * as responses from './read-original-responses.ts';

export { findOriginal, type OriginalDatabase } from './find-original.ts';
export type { OriginalImportProgress } from './import-original.ts';
export type { OriginalResponse } from './read-original-responses.ts';
export { chooseDatabaseFile, sharedDatabaseFile } from './database-file.ts';
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

/** Loaded on demand, because only an import needs it. */
export const importFromOriginal: typeof original.importFromOriginal = async (...args) =>
  (await import('./import-original.ts')).importFromOriginal(...args);

/** Loaded on demand, because only homes of the original have such a file. */
export const readOriginalResponses: typeof responses.readOriginalResponses = async (...args) =>
  (await import('./read-original-responses.ts')).readOriginalResponses(...args);
