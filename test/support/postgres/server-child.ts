/** Run by a test as a separate process: starts a server, prints its location, and waits to be killed. */
import { dirname } from 'node:path';
import { startPostgres } from './index.ts';

const server = await startPostgres();
const [{ data_directory: data }] = (await server.query('SHOW data_directory')) as [{ data_directory: string }];
process.stdout.write(`${JSON.stringify({ folder: dirname(data), port: server.port })}\n`);
setInterval(() => undefined, 60_000);
