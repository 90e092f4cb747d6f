import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/base/index.ts';
import { createProviderServer } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor, jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { readLineSchema } from '../support/line-schema.ts';
import { fastClock, runHermes, type RunOptions } from '../support/run-hermes.ts';
import { PNG } from '../support/sample-files.ts';

const cli = useCliFixture();
const { configure } = cli;
const BINARY = join(import.meta.dirname, '../../bin/hermes.js');
const schema = readLineSchema();
const hermes = (args: string[], options: Partial<RunOptions> = {}) => runHermes(args, { home: cli.home, ...options });

/** The types of the lines, after validating each line against the documented schema. */
async function typesOf(args: string[], options: Partial<RunOptions> = {}): Promise<string[]> {
  const { stdout } = await hermes(['--json', ...args], options);
  const lines = jsonLines(stdout);
  expect(lines.flatMap(schema.faultsOf)).toEqual([]);
  expect(lines.map((line) => line['v'])).toEqual(lines.map(() => 1));
  const types = lines.map((line) => String(line['type']));
  expect([types.at(-1), types.filter((type) => type === 'result').length]).toEqual(['result', 1]);
  return types;
}

it('documents every event', () => {
  const events: Record<Exclude<AgentEvent['type'], 'finished'>, true> = {
    started: true,
    'thinking-started': true,
    'thinking-finished': true,
    'reasoning-delta': true,
    'text-delta': true,
    'answer-discarded': true,
    'tool-call-seen': true,
    'tool-started': true,
    'tool-progress': true,
    'file-changed': true,
    'tool-finished': true,
    usage: true,
    'step-finished': true,
    retry: true,
    fallback: true,
    'compression-started': true,
    compressed: true,
    'compression-skipped': true,
    'attachment-described': true,
    steered: true,
    notified: true,
    subagent: true,
    request: true,
    'request-closed': true,
    warning: true,
  };
  const others = ['answer-invalid', 'input-rejected', 'result'];
  expect(schema.types.toSorted()).toEqual([...Object.keys(events), ...others].toSorted());
});

describe('every line matches the documented schema', () => {
  verifies('SURF-13', 'in a turn with tools, reasoning, faults and a denied command', async () => {
    await configure();
    const command = (text: string) => ({ name: 'terminal', arguments: { command: text } });
    cli.server.setScript([
      { fault: { type: 'status', status: 503, retryAfter: 0.01 } },
      { text: 'half', fault: { type: 'cut', afterBytes: 300 } },
      {
        reasoning: 'first a look',
        text: 'I look.',
        toolCalls: [command('echo one; echo two >&2'), command('rm -rf /')],
      },
      {
        toolCalls: [
          { name: 'no_such_tool', arguments: {} },
          { name: 'read_file', arguments: '{"path":' },
        ],
      },
      { toolCalls: [{ name: 'write_file', arguments: { path: 'new.txt', content: 'one\n' } }] },
      { toolCalls: [{ name: 'read_file', arguments: { path: 'missing' } }], usage: { cacheRead: 100, reasoning: 5 } },
      { text: 'Done.' },
    ]);
    const types = await typesOf(['-q', 'go'], { clock: fastClock });
    for (const type of [
      'retry',
      'reasoning-delta',
      'tool-call-seen',
      'tool-progress',
      'file-changed',
      'tool-finished',
      'usage',
    ])
      expect(types).toContain(type);
  });

  verifies('SURF-13', 'with a fallback', async () => {
    const second = await createProviderServer();
    second.setScript([{ text: 'Here.' }]);
    cli.server.setScript(() => ({ fault: { type: 'status', status: 401 } }));
    const entry = `{ provider: custom, model: other, base_url: '${second.url}/v1', api_key: k }`;
    await configure(`fallback_providers:\n  - ${entry}\n`);
    expect(await typesOf(['-q', 'go'])).toContain('fallback');
    await second.close();
  });

  verifies('SURF-13', 'if the turn fails, is cut off, stays empty or uses up its steps', async () => {
    await configure();
    cli.server.setScript(() => ({ fault: { type: 'status', status: 400, message: 'no' } }));
    await typesOf(['-q', 'go']);
    cli.server.setScript(() => ({ text: 'half', finishReason: 'length' }));
    await typesOf(['-q', 'go']);
    cli.server.setScript(() => ({ text: '' }));
    await typesOf(['-q', 'go']);
    let step = 0;
    cli.server.setScript(() => ({ toolCalls: [{ name: 'terminal', arguments: { command: `echo ${(step += 1)}` } }] }));
    await typesOf(['--max-turns', '2', '-q', 'go']);
  });

  verifies('SURF-13', 'with an attachment description, and a notice about an ended background process', async () => {
    const eye = `{ provider: custom, model: eye, base_url: '${cli.server.url}/v1', api_key: k }`;
    const blind = 'model_overrides:\n  test-model: { vision: false }\n';
    const titles = 'auxiliary:\n  title_generation: { enabled: false }\n';
    await cli.home.write('config.yaml', `${titles}  vision: ${eye}\n${configFor(cli.server)}${blind}`);
    await writeFile(join(cli.home.workspace, 'cat.png'), PNG);
    const start = { command: 'echo done', background: true, notify_on_complete: true };
    cli.server.setScript((request) => {
      if (request.model === 'eye') return { text: 'A single pixel.' };
      if (request.rawBody.includes('exited with code 0') || request.number > 40) return { text: 'Done.' };
      const call = request.toolResults.length === 0 ? start : { command: `sleep 0.2; echo ${request.number}` };
      return { toolCalls: [{ name: 'terminal', arguments: call }] };
    });
    const types = await typesOf(['-q', 'what is it?', '--image', 'cat.png']);
    expect(types).toContain('attachment-described');
    expect(types).toContain('notified');
  });

  verifies('SURF-13', 'if nothing could be started', async () => {
    for (const args of [
      [],
      ['--nonsense'],
      ['--resume', 'nobody', '-q', 'x'],
      ['--query-file', 'missing'],
      ['sessions', 'show', 'nobody'],
    ])
      expect(await typesOf(args)).toEqual(['result']);
    await configure();
    expect(await typesOf(['-q', 'x', '--output-schema', 'missing.json'])).toEqual(['result']);
    await cli.home.write('config.yaml', 'model: [');
    expect(await typesOf(['-q', 'x'])).toEqual(['result']);
  });

  verifies('SURF-13', 'with a compression, and an answer that is requested again', async () => {
    await configure('model_overrides:\n  test-model: { context_length: 64000 }\n');
    await writeFile(join(cli.home.workspace, 'schema.json'), '{"type":"integer"}');
    cli.server.setScript(() => ({ text: 'not a number' }));
    expect(await typesOf(['-q', 'go', '--output-schema', 'schema.json'])).toContain('answer-invalid');
    const long = 'long words to be remembered '.repeat(4_000);
    cli.server.setScript((request) => ({ text: request.toolNames.length === 0 ? 'a summary' : 'I see.' }));
    const types = await typesOf(['-q', 'one'], { input: long });
    for (const words of ['two', 'three', 'four'])
      types.push(...(await typesOf(['--continue', '-q', words], { input: long })));
    expect(types).toContain('compressed');
  });
});

verifies('SURF-13', 'ends the turn silently with 141 when the reader closes the pipe', async () => {
  await configure();
  cli.server.setScript(() => ({ text: 'word '.repeat(200_000) }));
  const environment = { ...process.env, HERMES_HOME: cli.home.path, HOME: cli.home.userHome };
  const line = `"$0" "$1" --json -q go | head -1; echo "\${PIPESTATUS[0]}"`;
  const child = spawn('bash', ['-c', line, process.execPath, BINARY], {
    cwd: cli.home.workspace,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  expect([stdout.split('\n').slice(1), stderr]).toEqual([['141', ''], '']);
});
