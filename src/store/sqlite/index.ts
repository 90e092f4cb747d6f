export { chooseDatabaseFile } from './database-file.ts';
export { importFromOriginal } from './import-original.ts';
export { isDatabaseFile } from './is-database.ts';
export { checkIntegrity, type IntegrityReport } from './integrity.ts';
export { openSqliteStore, type SqliteStoreOptions } from './open-store.ts';
export { repairDatabase, type RepairedTable, type RepairReport } from './repair.ts';
export { rebuildSearchIndex } from './mend-index.ts';
export { optimizeDatabase, type OptimizeReport } from './optimize.ts';
