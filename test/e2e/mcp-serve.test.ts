import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ReplyToolCall, startHermes } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { connectClient, GENERATIONS, type McpTarget } from '../support/mcp-clients.ts';
import { runHermes } from '../support/run-hermes.ts';
import { fullDoseOnly } from '../support/dose.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/hermes.js');
const cli = useCliFixture();

const environment = () => ({ HERMES_HOME: cli.home.path, HOME: cli.home.userHome, PATH: process.env['PATH'] ?? '' });
const overStdio = (): McpTarget => ({ args: [PROGRAM, 'mcp', 'serve'], env: environment() });

describe.each(GENERATIONS)('hermes mcp serve over stdio with the official client %s', (generation) => {
  verifies('SURF-8', 'answers questions, asks for approval, and reports progress', async () => {
    await cli.configure();
    const folder = join(process.cwd(), 'none', 'some-folder');
    cli.server.setScript(({ messages }) => {
      const last = messages.at(-1);
      const call = { name: 'terminal', arguments: { command: `rm -rf '${folder}'` } };
      return last?.role === 'tool' ? { text: `Result: ${last.text}` } : { toolCalls: [call] };
    });
    const forms: string[] = [];
    const client = await connectClient(generation, overStdio(), {
      onForm({ message }) {
        forms.push(message);
        return { action: 'accept', content: { decision: 'deny' } };
      },
    });
    expect(await client.toolNames()).toContain('hermes_ask');
    const progress: string[] = [];
    const asking = { onProgress: (message: string) => void progress.push(message) };
    const result = await client.call('hermes_ask', { prompt: 'delete it', cwd: cli.home.workspace }, asking);
    expect(result.structured).toMatchObject({ completed: true, tool_calls: 1 });
    expect(result.text).toMatch(/denied/i);
    expect(forms).toEqual([expect.stringContaining(folder)]);
    expect(progress.join('\n')).toContain('terminal: rm -rf');
    expect((await client.call('conversations_list', {})).structured).toEqual({ count: 0, conversations: [] });
  });
});

verifies('SURF-8', 'another Hermes uses it as an MCP server', fullDoseOnly, async () => {
  const inner = { command: process.execPath, args: [PROGRAM, 'mcp', 'serve'], env: environment() };
  await cli.configure(`mcp_servers: ${JSON.stringify({ inner })}\n`);
  cli.server.setScript(({ messages, toolNames }) => {
    const last = messages.at(-1);
    if (last?.text === 'what is the answer?') return { text: '42' };
    const direct = { name: 'mcp__inner__hermes_ask', arguments: { prompt: 'what is the answer?' } };
    const call: ReplyToolCall = toolNames.includes(direct.name) ? direct : { name: 'tool_call', arguments: direct };
    return last?.role === 'tool' ? { text: `It says: ${last.text}` } : { toolCalls: [call] };
  });
  const { stdout, exitCode } = await runHermes(['--yolo', '-z', 'ask the other one'], { home: cli.home });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/It says: [^]*42\n\n\[session \d+_\d+_\w+]/);
});

it('writes nothing but frames, ignores lines that are none, and ends with its input', async () => {
  await cli.configure();
  const hermes = startHermes(['mcp', 'serve'], { home: cli.home });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  hermes.write('no frame\n');
  hermes.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await hermes.waitForOutput('"id":1');
  hermes.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'nothing' } })}\n`);
  await hermes.waitForOutput('"id":2');
  hermes.closeInput();
  const { exitCode, stdout, stderr } = await hermes.exited;
  expect([exitCode, stderr]).toEqual([0, '']);
  const frames = stdout.trimEnd().split('\n');
  expect(frames.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([1, 2]);
  expect(frames[1]).toContain('There is no tool');
});

verifies('GW-26', 'serves HTTP on this machine with a key that the first start creates', async () => {
  await cli.configure();
  cli.server.setScript([{ text: 'hello' }]);
  const hermes = startHermes(['mcp', 'serve', '--http', '0'], { home: cli.home });
  const url = await hermes.waitForOutput(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
  const file = join(cli.home.path, 'api_server.key');
  await hermes.waitForOutput(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const key = readFileSync(file, 'utf8').trim();
  const client = await connectClient('v2', { url, key });
  expect((await client.call('hermes_ask', { prompt: 'hi' })).structured).toMatchObject({ response: 'hello' });
  await client.close();
  hermes.kill('SIGTERM');
  expect((await hermes.exited).exitCode).toBe(0);
  expect(hermes.stderr).not.toContain(key);
  const log = join(cli.home.path, 'logs', 'agent.log');
  if (existsSync(log)) expect(readFileSync(log, 'utf8')).not.toContain(key);
});

verifies('GW-26', 'does not listen on other addresses without a key that the user has set', async () => {
  await cli.configure();
  const open = (args: string[], env = {}) => runHermes(['mcp', 'serve', ...args], { home: cli.home, env });
  const refused = await open(['--http', '0', '--host', '0.0.0.0']);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('0.0.0.0') as string });
  const weak = await open(['--http', '0', '--host', '0.0.0.0'], { API_SERVER_KEY: 'short' });
  expect(weak).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('at least 32') as string });
  expect(await open(['--host', '127.0.0.1'])).toMatchObject({ exitCode: 2 });
  expect(await open(['--http', 'x'])).toMatchObject({ exitCode: 2 });
});

it('keeps what a plugin prints out of the protocol', fullDoseOnly, async () => {
  const folder = join(cli.home.path, 'plugins', 'loud');
  mkdirSync(folder, { recursive: true });
  await cli.configure('plugins: { enabled: [loud] }\n');
  await cli.home.write('plugins/loud/plugin.yaml', 'name: loud\nversion: 1.0.0\n');
  await cli.home.write(
    'plugins/loud/index.js',
    "console.log('loud noise'); process.stdout.write('and more\\n'); export function register() {}\n",
  );
  cli.server.setScript([{ text: 'quiet' }]);
  const child = spawn(process.execPath, [PROGRAM, 'mcp', 'serve'], { env: environment(), stdio: 'pipe' });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  send({ id: 1, method: 'initialize', params });
  send({ id: 2, method: 'tools/call', params: { name: 'hermes_ask', arguments: { prompt: 'x' } } });
  await expect.poll(() => stdout, { timeout: 20_000 }).toContain('"id":2');
  child.stdin.end();
  await once(child, 'exit');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .every((line) => line.startsWith('{')),
  ).toBe(true);
  expect(stderr).toContain('loud noise\nand more\n');
});
