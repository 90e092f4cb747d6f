import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect } from 'vitest';
import { API_MODES, type ApiMode } from '../../src/contracts/index.ts';
import { type HermesOptions } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], options: Partial<HermesOptions> = {}) =>
  runHermes(args, { home: cli.home, ...options });

type Replayed = { same: boolean; steps: { hash: string; differences: object[] }[]; differences: { message: string }[] };

/** Two turns with a call, reasoning, and an error that was retried. */
async function converse(mode: ApiMode = 'chat_completions', model = 'test-model'): Promise<string> {
  const config = configFor(cli.server)
    .replace(`${cli.server.url}/v1`, cli.server.baseUrl(mode))
    .replace('test-model', model);
  const titles = 'auxiliary:\n  title_generation:\n    enabled: false\n';
  await cli.home.write('config.yaml', `${titles}${config}  api_mode: ${mode}\n`);
  cli.server.setScript([
    {
      reasoning: 'a look first',
      text: 'I look.',
      toolCalls: [{ name: 'terminal', arguments: { command: 'echo é 1' } }],
    },
    { text: '  It says 1.\n' },
    { fault: { type: 'status', status: 503, retryAfter: 0.01 } },
    { text: 'Gladly.' },
  ]);
  await hermes(['-q', 'what does it say?']);
  const { stderr } = await hermes(['--continue', '-q', 'thank you']);
  return /hermes --resume (\S+)\)/.exec(stderr)?.[1] ?? '';
}

async function replay(id: string, ...args: string[]): Promise<{ exitCode: number | null; replayed: Replayed }> {
  const { exitCode, stdout } = await hermes(['replay', id, '--json', ...args]);
  return { exitCode, replayed: JSON.parse(stdout) as Replayed };
}

const hashOf = (body: string) =>
  createHash('sha256')
    .update(body.replace(/,"cache_control":\{[^{}]*\}/g, ''))
    .digest('hex');

describe('hermes replay', () => {
  // When a route to Ollama is opened, Hermes asks for the window and sends it in each request; a replay is offline.
  for (const mode of API_MODES.filter((name) => name !== 'ollama_chat')) {
    verifies('OBS-3', `builds exactly the requests that were sent, offline: ${mode}`, async () => {
      const id = await converse(mode, mode === 'anthropic_messages' ? 'claude-test' : 'test-model');
      const sent = cli.server.requests.map(({ rawBody }) => hashOf(rawBody));
      const before = (await hermes(['sessions', 'export', '-'])).stdout;
      const { exitCode, replayed } = await replay(id);
      // The third and the fourth request are the same one, sent twice.
      expect(replayed.steps.map(({ hash }) => hash)).toEqual([sent[0], sent[1], sent[3]]);
      expect([exitCode, replayed.same]).toEqual([0, true]);
      expect(cli.server.requests).toHaveLength(4);
      expect((await hermes(['sessions', 'export', '-'])).stdout).toBe(before);
    });
  }

  verifies(['OBS-3', 'CACHE-4'], 'uses the stored tools and effort, whatever the configuration says now', async () => {
    const id = await converse();
    const sent = cli.server.requests.map(({ rawBody }) => hashOf(rawBody));
    const config = await cli.home.read('config.yaml');
    await cli.home.write('config.yaml', `${config}toolsets: [todo, terminal]\nagent:\n  reasoning_effort: high\n`);
    const { replayed } = await replay(id);
    expect(replayed.steps.map(({ hash }) => hash)).toEqual([sent[0], sent[1], sent[3]]);
    const other = await replay(id, '--toolsets', 'todo,terminal');
    expect(other.replayed.steps[0]?.hash).not.toBe(sent[0]);
  });

  describe('without options', () => {
    let id: string;
    beforeEach(async () => {
      id = await converse();
    });

    verifies('OBS-3', 'prints each request and its answer, and that there are no differences', async () => {
      const { exitCode, stdout } = await hermes(['replay', id]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        /^\S+ {2}test-model \(custom, chat_completions\)\n {2}request 1: 1 message, [\d.]+ kB → calls/,
      );
      expect(stdout).toMatch(/request 3: 5 messages, .* → Gladly\.\n3 requests, no differences\.\n$/);
    });

    verifies('OBS-3', 'shows where the prompt would differ, and in which layer', async () => {
      await writeFile(join(cli.home.workspace, 'AGENTS.md'), 'Speak in rhymes.\n');
      const { exitCode, replayed } = await replay(id);
      expect([exitCode, replayed.same]).toEqual([1, false]);
      expect(replayed.differences[0]?.message).toMatch(/The system prompt would differ in AGENTS\.md, line \d+: .*/);
      const { stdout } = await hermes(['replay', id]);
      expect(stdout).toContain('3 requests, 1 difference.');
    });

    verifies('OBS-3', 'reports that a called tool no longer exists', async () => {
      const { replayed } = await replay(id, '--toolsets', 'file');
      expect(replayed.differences.map(({ message }) => message)).toContain(
        'The tool terminal was called in this session but would not be offered now.',
      );
    });

    verifies(
      'OBS-3',
      'shows which repairs a damaged history would get, at the first step that needs them',
      async () => {
        const database = new DatabaseSync(join(cli.home.path, 'state.db'));
        database.exec("DELETE FROM messages WHERE role = 'tool'");
        database.close();
        const { exitCode, replayed } = await replay(id);
        expect(exitCode).toBe(1);
        expect(replayed.steps.map(({ differences }) => differences.length)).toEqual([0, 1, 0]);
        expect(replayed.steps[1]?.differences).toMatchObject([
          {
            kind: 'history',
            message: expect.stringMatching(/^message 3 of the request \(result of terminal: .*is added$/),
          },
        ]);
      },
    );

    verifies('OBS-3', 'replays only the own messages of a branch', async () => {
      const branch = JSON.parse((await hermes(['sessions', 'branch', id, '--json'])).stdout) as { id: string };
      expect((await replay(branch.id)).replayed.steps).toEqual([]);
      cli.server.setScript([{ text: 'Here too.' }]);
      await hermes(['--resume', branch.id, '-q', 'and here?']);
      const { exitCode, replayed } = await replay(branch.id);
      expect(replayed.steps.map(({ hash }) => hash)).toEqual([hashOf(cli.server.requests.at(-1)?.rawBody ?? '')]);
      expect(exitCode).toBe(0);
    });

    verifies('OBS-3', 'replays a session without its model in the plain format, and says so', async () => {
      await cli.home.write('config.yaml', '');
      const { stdout } = await hermes(['replay', id]);
      expect(stdout).toContain('plain Chat Completions requests');
      expect((await hermes(['replay', 'nobody'])).exitCode).toBe(2);
    });
  });
});
