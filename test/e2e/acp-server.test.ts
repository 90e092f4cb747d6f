import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  startHermes,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { connectAcp } from '../support/acp-client.ts';
import { verifies } from '../spec/verifies.ts';
import { dose, fullDoseOnly } from '../support/dose.ts';
import { findProcessesWith, pollUntil, TEST_SERVER } from '../support/mcp-servers.ts';
import { runHermes } from '../support/run-hermes.ts';

const ROOT = join(import.meta.dirname, '../..');
const HERMES = join(ROOT, 'bin/hermes.js');
const ACPX = join(ROOT, 'node_modules/acpx/dist/cli.js');

let home: TemporaryHome;
let server: ProviderServer;
beforeEach(async () => {
  server = await createProviderServer({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
  home = await createTemporaryHome({ 'config.yaml': config() });
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

function config(extra = ''): string {
  return `model: { provider: custom, default: test-model, base_url: ${server.url}/v1, api_key: k }
auxiliary: { title_generation: { enabled: false } }
${extra}`;
}

/** Starts the program with pipes, as an editor does. */
function open(env: Record<string, string> = {}) {
  const hermes = startHermes(['acp'], { home, env });
  const client = connectAcp(hermes.child.stdout, hermes.child.stdin);
  const initialize = () => client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const prompt = (sessionId: unknown, text: string) =>
    client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  return { hermes, client, initialize, prompt, session: { cwd: home.workspace, mcpServers: [] } };
}

/** Runs the client `acpx`, which is not ours, and returns what it prints. */
function acpx(...args: string[]): Promise<{ exitCode: number | null; output: string }> {
  const command = `"${process.execPath}" "${HERMES}" acp`;
  const child = spawn(process.execPath, [ACPX, '--agent', command, '--cwd', home.workspace, ...args], {
    cwd: home.workspace,
    env: { PATH: process.env['PATH'], HOME: home.userHome, HERMES_HOME: home.path, TMPDIR: process.env['TMPDIR'] },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (output += text.toString()));
  child.stdin.end();
  return new Promise((resolve) => void child.once('close', (exitCode) => resolve({ exitCode, output })));
}

/** Calls a tool once per turn and then repeats its result. */
function callTool(name: string, args: object): void {
  server.setScript(({ messages }) => {
    const last = messages.at(-1);
    return last?.role === 'tool'
      ? { text: `Result: ${last.text.slice(0, 100)}` }
      : { toolCalls: [{ name, arguments: args } as never] };
  });
}

verifies('SURF-7', 'survives kill -9: another process loads the session with everything that was stored', async () => {
  const file = join(home.workspace, 'a.txt');
  const calls = [
    { name: 'write_file', arguments: { path: 'a.txt', content: 'one\n' } },
    { name: 'patch', arguments: { path: 'a.txt', old_string: 'one', new_string: 'two' } },
  ];
  server.setScript(({ messages }) => {
    const call = calls[messages.filter(({ role }) => role === 'tool').length];
    return call === undefined ? { fault: { type: 'stall' } } : { text: 'Look.', toolCalls: [call as never] };
  });
  const first = open();
  await first.initialize();
  const { sessionId } = await first.client.request('session/new', first.session);
  void first.prompt(sessionId, 'Edit it').catch(() => undefined);
  for (let requests = 0; requests < 3; requests += 1) await server.nextRequest();
  first.hermes.kill('SIGKILL');
  await first.hermes.exited;
  const live = first.client.takeUpdates(sessionId as string).filter(isLasting);

  const second = open();
  await second.initialize();
  await second.client.request('session/load', { sessionId, ...second.session });
  const [question, ...replayed] = second.client.takeUpdates(sessionId as string).filter(isLasting);
  expect(question).toMatchObject({ content: { text: 'Edit it' } });
  expect(replayed.map(withoutId)).toEqual(live.map(withoutId));
  expect(replayed.filter(({ status }) => status === 'completed')).toMatchObject([
    { content: [{ type: 'diff', path: file, oldText: null, newText: 'one\n' }] },
    { content: [{ type: 'diff', path: file, oldText: 'one\n', newText: 'two\n' }] },
  ]);
  server.setScript(({ messages }) => ({ text: `${messages.length} messages` }));
  expect(await second.prompt(sessionId, 'Are you there?')).toEqual({ stopReason: 'end_turn' });
  expect(JSON.stringify(second.client.takeUpdates(sessionId as string))).toContain('6 messages');
  await second.client.end();
  expect((await second.hermes.exited).exitCode).toBe(0);
});

type AnyUpdate = Record<string, unknown> & { sessionUpdate: string };
const isLasting = ({ sessionUpdate }: AnyUpdate) => !/usage|commands/.test(sessionUpdate);
const withoutId = ({ messageId: _, ...update }: AnyUpdate) => update;

verifies('ACP-1', 'writes nothing but messages to stdout, and answers while slow MCP servers connect', async () => {
  const slow = Array.from(
    { length: 5 },
    (_, index) => `s${index}: { command: ${process.execPath}, args: ['${TEST_SERVER}', --mute] }`,
  );
  await home.write('config.yaml', config(`plugins: { enabled: [noisy] }\nmcp_servers: { ${slow.join(', ')} }`));
  await home.write(
    'plugins/noisy/plugin.yaml',
    'name: noisy\nversion: 1.0.0\ndescription: Prints.\nentry: index.mjs\n',
  );
  await home.write(
    'plugins/noisy/index.mjs',
    "console.log('from a plugin');\nexport default () => { console.log('again'); };\n",
  );
  const { hermes, client, initialize, prompt, session } = open();
  await initialize();
  const { sessionId } = await client.request('session/new', session);
  callTool('terminal', { command: 'echo to stdout; echo to stderr >&2' });
  expect(await prompt(sessionId, 'run it')).toEqual({ stopReason: 'end_turn' });
  await hermes.waitForOutput('again');
  await client.end();
  const { exitCode, stdout, stderr } = await hermes.exited;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('from a plugin');
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  // Measured where the machine is not busy with other tests.
  if (dose(false, true)) {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const next = open();
      const begun = performance.now();
      await next.initialize();
      times.push(performance.now() - begun);
      await next.client.end();
    }
    expect(Math.min(...times)).toBeLessThan(400);
  }
});

verifies(
  'ACP-1',
  'works with a client that is not ours: acpx asks, approves, denies and brings MCP servers',
  fullDoseOnly,
  async () => {
    callTool('terminal', { command: 'rm -rf some-folder' });
    const approved = await acpx('--approve-all', 'exec', 'clean up');
    expect(approved).toMatchObject({ exitCode: 0, output: expect.stringContaining('[done] end_turn') as string });
    expect(approved.output).toContain('rm -rf some-folder (completed)');
    if (!dose(false, true)) return;
    const denied = await acpx('--deny-all', 'exec', 'clean up');
    expect(denied.output).toContain('approval was denied');
    const servers = [{ name: 'it', type: 'stdio', command: process.execPath, args: [TEST_SERVER] }];
    await writeFile(join(home.userHome, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
    callTool('mcp__it__echo', { value: 'x' });
    const called = await acpx('--mcp-config', join(home.userHome, 'mcp.json'), '--approve-all', 'exec', 'call it');
    expect(called.output).toContain('Result: ');
    expect(called.output).toContain('echo x');
  },
);

describe('acpx', fullDoseOnly, () => {
  verifies('ACP-1', 'resumes a session in a new process, cancels a turn, and changes the mode', async () => {
    const run = (...args: string[]) => acpx('--ttl', '1', ...args);
    // The client keeps the agent running for a while after a prompt.
    const untilAgentEnded = () => pollUntil(async () => (await findProcessesWith(home.userHome)).length === 0);
    await run('sessions', 'new');
    expect((await run('prompt', 'one')).output).toContain('1 messages');
    await untilAgentEnded();
    expect((await run('prompt', 'two')).output).toContain('3 messages');
    server.setScript(() => ({ fault: { type: 'stall' } }));
    const stalled = run('prompt', 'never end');
    await pollUntil(() => server.requests.some(({ lastUserText }) => lastUserText === 'never end'));
    expect((await run('cancel')).output).toContain('cancel');
    expect((await stalled).output).toContain('[done] cancelled');
    expect((await run('set-mode', 'plan')).output).toContain('plan');
    await untilAgentEnded();
  });
});

verifies('SURF-7', 'is driven by Hermes itself as the provider copilot-acp', async () => {
  await using outer = await createTemporaryHome({
    'config.yaml':
      'model:\n  provider: copilot-acp\n  base_url: acp://copilot\nauxiliary: { title_generation: { enabled: false } }\n',
  });
  const script = join(outer.userHome, 'inner.sh');
  await writeFile(
    script,
    `#!/bin/sh\nHERMES_HOME='${home.path}' HOME='${home.userHome}' exec '${process.execPath}' '${HERMES}' acp\n`,
    { mode: 0o700 },
  );
  await outer.write('.env', `HERMES_COPILOT_ACP_COMMAND=${script}\nHERMES_COPILOT_ACP_ARGS=""\n`);
  server.setScript(({ messages }) => ({ text: `The inner Hermes read: ${messages.at(-1)?.text.slice(-40)}` }));
  const { exitCode, stdout, stderr } = await runHermes(['-z', 'a question for two'], { home: outer });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('The inner Hermes read:');
  expect(server.requests[0]?.messages.at(-1)?.text).toContain('a question for two');
});

it('checks itself, and says what is missing', async () => {
  const good = await runHermes(['acp', '--check'], { home });
  expect(good.exitCode).toBe(0);
  expect(good.stdout).toMatch(
    /Model: test-model \(custom\)\nAgent Client Protocol 1: a session was opened in .*commands\.\n/,
  );
  await home.write('config.yaml', '');
  const bad = await runHermes(['acp', '--check'], { home });
  expect(bad.exitCode).toBe(1);
  expect(bad.stdout).toContain('No model is configured. Run `hermes setup`');
  const both = await runHermes(['acp', '--check', '--setup'], { home });
  expect(both.exitCode).toBe(2);
  expect((await runHermes(['acp', '--setup'], { home })).stderr).toContain('needs a terminal');
});

it('is described for the registry of agents', async () => {
  const agent = JSON.parse(await readFile(join(ROOT, 'docs/acp-registry/agent.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { name, version, license } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  expect(agent).toMatchObject({
    id: name,
    version,
    license,
    distribution: { npx: { package: `${name}@${version}`, args: ['acp'] } },
  });
});
