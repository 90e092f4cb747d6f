export { type DatabaseLocation, describeLocation, isDatabaseUrl, parseDatabaseUrl } from './database-url.ts';
export { type DatabaseReport, inspectDatabase } from './open-store.ts';
export { openPostgresStore, type PostgresStoreOptions } from './open-store.ts';
