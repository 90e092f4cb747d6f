/** Run by a test as a process of its own: starts a server, says where it is, and waits to be killed. */
import { dirname } from 'node:path';
import { startPostgres } from './index.ts';

const server = await startPostgres();
const [{ data_directory: data }] = (await server.query('SHOW data_directory')) as [{ data_directory: string }];
process.stdout.write(`${JSON.stringify({ folder: dirname(data), port: server.port })}\n`);
setInterval(() => undefined, 60_000);
