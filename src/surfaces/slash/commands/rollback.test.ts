import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../../test/support/dose.ts';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { loadSettings } from '../../../config/index.ts';
import type { RouteSource } from '../../../contracts/index.ts';
import { createRuntime, type RuntimeOptions } from '../../../runtime/index.ts';
import {
  createScriptedModel,
  createTemporaryHome,
  type ModelScript,
  type TemporaryHome,
} from '../../../testing/index.ts';
import { createStyle } from '../../cli/style.ts';
import { createRollbackCommand } from './rollback.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await createTemporaryHome();
});
afterEach(() => home.remove());

const writing = (path: string, content: string) => ({
  toolCalls: [{ name: 'write_file', arguments: { path, content } }],
});
const running = (command: string) => ({ toolCalls: [{ name: 'terminal', arguments: { command } }] });

/** A chat with a scripted model, reduced to what checkpoints need. */
async function open(script: ModelScript, changes: Partial<RuntimeOptions> = {}) {
  const settings = await loadSettings({ home: home.path, env: {} });
  const client = createScriptedModel(script);
  const endpoint = { baseUrl: 'scripted://', apiMode: 'chat_completions' as const, contextLength: undefined };
  const route: RouteSource = {
    provider: 'p',
    model: 'm',
    open: () => Promise.resolve({ provider: 'p', model: 'm', ...endpoint, client }),
  };
  const rest = { workingDirectory: home.workspace, source: 'cli', attended: false, checkpoints: true };
  const runtime = await createRuntime({ settings, routes: [route], ...rest, ...changes });
  const { agent, checkpoints } = await runtime.openAgent();
  const answers: (string | undefined)[] = [];
  let printed = '';
  const rollback = createRollbackCommand({
    checkpoints,
    sessionId: () => agent.sessionId,
    style: createStyle(createTextSink(), {}),
    print: (text) => {
      printed += text;
    },
    ask: async (prompt) => {
      printed += prompt;
      return answers.shift();
    },
  });
  return {
    runtime,
    agent,
    checkpoints,
    client,
    /** Returns what `/rollback` prints; the answers are typed when it asks. */
    async rollback(argument: string, ...typed: string[]) {
      printed = '';
      answers.splice(0, answers.length, ...typed);
      await rollback(argument);
      return printed;
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

const write = (name: string, content: string) => writeFileSync(join(home.workspace, name), content);
const read = (name: string) => readFileSync(join(home.workspace, name), 'utf8');

describe('/rollback', () => {
  verifies(
    'SURF-3',
    'restores files after showing the diff and asking for confirmation, and notifies the model',
    async () => {
      write('a.txt', 'one\n');
      const script = [writing('a.txt', 'two\n'), writing('new.txt', 'n\n'), { text: 'Done.' }, { text: 'I see.' }];
      await using chat = await open(script);
      await chat.agent.chat('change it');
      expect(await chat.rollback('')).toMatch(/^ {2}1 {2}\d{4}-.* {2}write_file: a\.txt\n/);
      // Only "yes" is accepted, not Enter or anything else.
      for (const answer of ['', 'y', 'no', 'yes please']) {
        expect(await chat.rollback('1', answer)).toMatch(/-one\n\+two\n[^]*Type yes[^]*No files were changed\.\n$/);
        expect(read('a.txt')).toBe('two\n');
      }
      const shown = await chat.rollback('1', ' yes');
      expect(shown).toContain('Restored checkpoint 1: 1 file restored, 1 deleted.');
      expect(shown).toContain('To go back to it: /rollback 2');
      expect(read('a.txt')).toBe('one\n');

      await chat.agent.chat('and now?');
      const last = chat.client.requests.at(-1)?.messages.at(-1);
      expect(last).toMatchObject({ role: 'user' });
      const sent = JSON.stringify(last);
      expect(sent).toContain('[Notice from Hermes, not from the user]');
      expect(sent).toMatch(/rolled back to checkpoint 1.*Restored: .*a\.txt.*Removed: .*new\.txt/);
      await chat.rollback('2', 'yes');
      expect([read('a.txt'), read('new.txt')]).toEqual(['two\n', 'n\n']);
    },
  );

  it('restores one file, and shows a diff without asking', fullDoseOnly, async () => {
    write('a.txt', '1\n');
    write('b c.txt', '1\n');
    await using chat = await open([running('echo 2 > a.txt; echo 2 > "b c.txt"'), { text: 'Done.' }]);
    await chat.agent.chat('go');
    expect(await chat.rollback('diff 1')).toMatch(/2 files changed[^]*~ a\.txt[^]*~ b c\.txt[^]*-1\n\+2/);
    expect(await chat.rollback('1 b c.txt', 'yes')).not.toContain('a/a.txt');
    expect([read('a.txt'), read('b c.txt')]).toEqual(['2\n', '1\n']);
    expect(await chat.rollback('1 b c.txt')).toBe('Nothing has changed since checkpoint 1.\n');
    expect(await chat.rollback('9')).toContain('There is no checkpoint 9');
    expect(await chat.rollback('nine')).toContain('/rollback N restores one');
  });
});

describe('checkpoints of a chat', () => {
  verifies(
    'SURF-1',
    'are created once per turn, before the first call that may change files',
    fullDoseOnly,
    async () => {
      write('a.txt', '1\n');
      const turns = [
        [
          running('cat a.txt && git status'),
          { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
          { text: 'read' },
        ],
        [running('echo 2 > a.txt'), running('echo 3 > a.txt'), { text: 'written' }],
        [running('echo 4 > a.txt'), { text: 'written' }],
      ];
      await using chat = await open(turns.flat());
      const reasons = async () => (await (await chat.checkpoints.open()).list()).map(({ reason }) => reason);
      await chat.agent.chat('look');
      expect(await reasons()).toEqual([]);
      await chat.agent.chat('change');
      expect(await reasons()).toEqual(['terminal: echo 2 > a.txt']);
      await chat.agent.chat('change');
      await chat.rollback('2', 'yes');
      expect(read('a.txt')).toBe('3\n');
      await chat.rollback('1', 'yes');
      expect(read('a.txt')).toBe('1\n');
    },
  );

  it('are explained when disabled, without changing anything else', async () => {
    await using without = await open([writing('a.txt', '1'), { text: 'Done.' }], { checkpoints: false });
    await without.agent.chat('go');
    expect(await without.rollback('')).toBe(
      'There are no checkpoints. Checkpoints are disabled: start with --checkpoints, or set checkpoints.enabled to true.\n',
    );
    expect(without.runtime.warnings()).toEqual([]);
  });

  it('are disabled for remote environments', async () => {
    const settings = await loadSettings({ home: home.path, env: {} });
    const ssh = { ...settings, terminal: { ...settings.terminal, backend: 'ssh' } };
    const runtime = await createRuntime({
      settings: ssh,
      routes: [],
      workingDirectory: home.workspace,
      source: 'cli',
      attended: false,
      checkpoints: true,
    });
    expect(runtime.warnings()).toEqual([expect.stringContaining('Checkpoints are off: terminal.backend is ssh')]);
    await runtime.close();
  });

  it('do not stop a turn when they fail', async () => {
    await using chat = await open([writing('a.txt', '1'), { text: 'Done.' }]);
    // A path that is not a folder.
    writeFileSync(join(home.path, 'checkpoints'), '');
    expect(await chat.agent.chat('go')).toBe('Done.');
    expect(read('a.txt')).toBe('1');
    expect(chat.runtime.checkpoints.drainMessages()).toEqual([expect.stringContaining('No checkpoint was taken')]);
    expect(chat.runtime.checkpoints.drainMessages()).toEqual([]);
  });

  it('leave the repository of the project unchanged', fullDoseOnly, async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: home.workspace, encoding: 'utf8' });
    git('init', '-q');
    write('a.txt', '1');
    await using chat = await open([writing('a.txt', '2'), { text: 'Done.' }]);
    await chat.agent.chat('go');
    await chat.rollback('1', 'yes');
    expect(git('status', '--porcelain')).toBe('?? a.txt\n');
    expect(git('count-objects')).toContain('0 objects');
  });
});
