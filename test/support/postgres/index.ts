export { type PostgresServer, startPostgres } from './postgres-server.ts';
