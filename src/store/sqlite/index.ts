export { chooseDatabaseFile } from './database-file.ts';
export { openSqliteStore, type SqliteStoreOptions } from './open-store.ts';
