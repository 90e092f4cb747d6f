import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { compiledProgram } from './compiled-program.ts';
import { systemClock } from '../../src/base/index.ts';
import { loadSettings, type McpServerSettings } from '../../src/config/index.ts';
import { type Interaction, type Logger, silentLogger } from '../../src/contracts/index.ts';
import { createServer, type ServerParts } from '../../src/mcp/index.ts';
import type { McpServer } from '../../src/mcp/server.ts';
import type { McpToolResult, McpCall } from '../../src/mcp/server-tools.ts';

const MODULES = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
export const TEST_SERVER = compiledProgram(join(import.meta.dirname, 'mcp-server.ts'));

/** A server written with the official server package. */
export const SDK_SERVER = compiledProgram(join(import.meta.dirname, 'mcp-sdk-server.ts'));

/** A program that runs a server and ignores the end of stdin and all signals. */
export const DEAF_SERVER = compiledProgram(join(import.meta.dirname, 'deaf-mcp-server.ts'));

/** The official servers from npm. */
export const OFFICIAL_SERVERS = {
  everything: join(MODULES, 'server-everything/dist/index.js'),
  filesystem: join(MODULES, 'server-filesystem/dist/index.js'),
  memory: join(MODULES, 'server-memory/dist/index.js'),
};

/** A temporary folder that is removed after the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-mcp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The settings for an entry of `mcp_servers`. */
export async function settingsFor(entry: object, name = 'it'): Promise<McpServerSettings> {
  const { writeFile } = await import('node:fs/promises');
  const home = await createTemporaryFolder();
  await writeFile(join(home, 'config.yaml'), JSON.stringify({ mcp_servers: { [name]: entry } }));
  const { mcpServers } = await loadSettings({ home, env: {} });
  return mcpServers?.[name] as McpServerSettings;
}

export type OpenOptions = Partial<ServerParts> & { name?: string; folder?: string };

/** Server options with all files in one folder. */
export function testServerOptions(folder: string): ServerParts {
  return {
    variables: { PATH: process.env['PATH'] },
    workingDirectory: folder,
    cacheFolder: join(folder, 'cache'),
    tokensFolder: join(folder, 'tokens'),
    clock: systemClock,
    logger: silentLogger,
  };
}

/** Creates a server from a config entry and closes it after the test. */
export async function openTestServer(entry: object, options: OpenOptions = {}): Promise<McpServer> {
  const { name = 'it', folder = await createTemporaryFolder(), ...parts } = options;
  const server = createServer(name, await settingsFor(entry, name), { ...testServerOptions(folder), ...parts });
  onTestFinished(() => server.close());
  return server;
}

/** The config entry of the test server, with arguments that select its behaviour. */
export function testServer(...words: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [TEST_SERVER, ...words] };
}

export const noUser: Interaction = { approve: async () => 'deny', clarify: async () => undefined };

export async function callTool(
  server: McpServer,
  tool: string,
  args: Record<string, string | number | object> = {},
  context: Partial<McpCall> = {},
): Promise<McpToolResult> {
  const found = server.tools().find(({ definition }) => definition.name === `mcp__${server.name}__${tool}`);
  if (found === undefined) throw new Error(`no tool ${tool} among ${server.report().tools.join(' ')}`);
  return found.call(args as never, {
    signal: new AbortController().signal,
    sessionId: 's',
    taskId: 't',
    interaction: noUser,
    progress() {},
    saveFile: async () => undefined,
    ...context,
  });
}

/** A logger that records its messages. */
export function recordingLogger(): { lines: string[]; logger: Logger } {
  const lines: string[] = [];
  const note = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, logger: { debug: note, info: note, warn: note, error: note } };
}

/** The processes with this text in their command line or environment. */
export async function findProcessesWith(text: string): Promise<number[]> {
  const read = (pid: string, file: string) => {
    try {
      // Synchronous, because asynchronous reads of so many small files take several times the CPU time.
      return readFileSync(`/proc/${pid}/${file}`, 'latin1');
    } catch {
      return '';
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => `${read(pid, 'cmdline')}\n${read(pid, 'environ')}`.includes(text)).map(Number);
}

/** How often to look at something that no event announces, such as the processes of the machine. */
const POLL_EVERY_MS = 25;

/** Polls until the check succeeds. */
export async function pollUntil(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
}
