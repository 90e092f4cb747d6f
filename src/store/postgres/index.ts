export { type DatabasePlace, describePlace, isDatabaseUrl, parseDatabaseUrl } from './database-url.ts';
export { openPostgresStore, type PostgresStoreOptions } from './open-store.ts';
