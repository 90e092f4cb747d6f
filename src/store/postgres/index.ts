export { type DatabasePlace, describePlace, isDatabaseUrl, parseDatabaseUrl } from './database-url.ts';
export { type DatabaseReport, inspectDatabase } from './inspect.ts';
export { openPostgresStore, type PostgresStoreOptions } from './open-store.ts';
