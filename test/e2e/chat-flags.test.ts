import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type HermesOptions } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const { configure } = cli;
const BINARY = join(import.meta.dirname, '../../bin/hermes.js');
const hermes = (args: string[], options: Partial<HermesOptions> = {}) =>
  runHermes(args, { home: cli.home, ...options });
const lastRequest = () => cli.server.requests.at(-1);

describe('--query-file', () => {
  verifies('SURF-13', 'reads the prompt from a file, with stdin as context', async () => {
    await configure();
    await writeFile(join(cli.home.workspace, 'task.md'), 'Review this:\n');
    cli.server.setScript(() => ({ text: 'Fine.' }));
    const { exitCode, stdout } = await hermes(['--query-file', 'task.md'], { input: '+ one line' });
    expect([exitCode, stdout]).toEqual([0, 'Fine.\n']);
    expect(lastRequest()?.lastUserText).toBe('Review this:\n\n+ one line');
  });

  verifies('SURF-13', 'accepts - for stdin', async () => {
    await configure();
    cli.server.setScript(() => ({ text: 'Fine.' }));
    expect((await hermes(['--query-file', '-'], { input: 'What is it?\n' })).stdout).toBe('Fine.\n');
    expect(lastRequest()?.lastUserText).toBe('What is it?');
  });

  verifies(
    ['SURF-13', 'BOUND-2'],
    'exits with 2 if the file is missing or empty, or if there is another prompt',
    async () => {
      await configure();
      await writeFile(join(cli.home.workspace, 'empty'), ' \n');
      const wrong: [string[], RegExp][] = [
        [['--query-file', 'missing'], /Cannot read .*missing: /],
        [['--query-file', '.'], /Cannot read .*: it is a directory/],
        [['--query-file', 'empty'], /empty is empty, so there is no prompt/],
        [['--query-file', '-'], /Standard input is empty/],
        [['--query-file', 'empty', '-q', 'x'], /More than one prompt/],
      ];
      for (const [args, said] of wrong) {
        const { exitCode, stdout, stderr } = await hermes(args);
        expect([args, exitCode, stdout]).toEqual([args, 2, '']);
        expect(stderr).toMatch(said);
      }
      expect(cli.server.requests).toEqual([]);
    },
  );
});

verifies('SURF-1', 'git diff | hermes -q review: piped text is context', async () => {
  await configure();
  cli.server.setScript(() => ({ text: 'Looks right.' }));
  const line = 'printf "%s\\n" "- old" "+ new" | "$0" "$1" -q review';
  const child = spawn('bash', ['-c', line, process.execPath, BINARY], {
    cwd: cli.home.workspace,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, HERMES_HOME: cli.home.path, HOME: cli.home.userHome },
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(child, 'close');
  expect(stdout).toBe('Looks right.\n');
  expect(lastRequest()?.lastUserText).toBe('review\n\n- old\n+ new');
});

describe('--skills', () => {
  const addSkill = async (name: string, text: string) => {
    await mkdir(join(cli.home.path, 'skills', name), { recursive: true });
    const head = `---\nname: ${name}\ndescription: how ${name} is done\n---\n`;
    await writeFile(join(cli.home.path, 'skills', name, 'SKILL.md'), `${head}${text}\n`);
  };

  verifies('SURF-1', 'sends the skills with the first message, and stores only what the user wrote', async () => {
    await configure();
    await addSkill('tidy', 'Put everything into rows.');
    await addSkill('brief', 'Use five words.');
    cli.server.setScript(() => ({ text: 'Done.' }));
    await hermes(['--skills', 'tidy,brief', '-q', 'clean up']);
    const sent = lastRequest()?.lastUserText ?? '';
    expect(sent).toMatch(/skill tidy[^]*into rows\.[^]*skill brief[^]*five words\.[^]*Message of the user:\nclean up$/);
    expect((await hermes(['sessions', 'list'])).stdout).toContain('clean up');
    await hermes(['--continue', '-q', 'and now?']);
    expect(lastRequest()?.lastUserText).toBe('and now?');
  });

  verifies('SURF-1', 'adds them to the first message of a chat', async () => {
    await configure();
    await addSkill('tidy', 'Put everything into rows.');
    cli.server.setScript((request) => ({ text: `answer ${request.number}.` }));
    const chat = startTerminal(cli.home, ['--skills', 'tidy']);
    await chat.see('❯ ');
    chat.type('first\r');
    await chat.see('answer 1.');
    await chat.see('❯ ');
    chat.type('second\r');
    await chat.see('answer 2.');
    chat.type('\u0004');
    await chat.exited;
    expect(cli.server.requests[0]?.lastUserText).toContain('into rows');
    expect(lastRequest()?.lastUserText).toBe('second');
  });

  verifies(['SURF-1', 'BOUND-2'], 'exits with 2 for an unknown skill, and suggests a similar one', async () => {
    await configure();
    await addSkill('tidy', 'Put everything into rows.');
    const { exitCode, stderr } = await hermes(['--skills', 'tidi', '-q', 'x']);
    expect([exitCode, stderr]).toEqual([2, 'hermes: --skills: Skill not found: "tidi".\n        Did you mean tidy?\n']);
    expect(cli.server.requests).toEqual([]);
  });
});

describe('other flags', () => {
  verifies('SURF-1', '--source tags a session, which can be found and continued by it', async () => {
    await configure();
    cli.server.setScript((request) => ({ text: `answer ${request.messages.length}` }));
    await hermes(['-q', 'by hand']);
    await hermes(['--source', 'nightly', '-q', 'by night']);
    await hermes(['-q', 'by hand again']);
    const sessions = JSON.parse(
      (await hermes(['sessions', 'list', '--json', '--source', 'nightly'])).stdout,
    ) as unknown[];
    expect(sessions).toMatchObject([{ source: 'nightly', preview: 'by night' }]);
    const { stdout } = await hermes(['--source', 'nightly', '--continue', '-q', 'go on']);
    expect(lastRequest()?.messages.map(({ text }) => text)).toContain('by night');
    expect(stdout).toMatch(/^answer/);
    expect((await hermes(['--source', 'no good', '-q', 'x'])).exitCode).toBe(2);
  });

  verifies('SURF-1', '-Q prints only the answer, and --verbose prints each step', async () => {
    await configure();
    const script = [{ toolCalls: [{ name: 'terminal', arguments: { command: 'echo hi' } }] }, { text: 'Done.' }];
    cli.server.setScript(script);
    expect(await hermes(['-Q', '-q', 'go'])).toMatchObject({ exitCode: 0, stdout: 'Done.\n', stderr: '' });
    cli.server.setScript(script);
    const { stderr } = await hermes(['--verbose', '-q', 'go']);
    expect(stderr).toMatch(/● terminal {2}echo hi/);
  });
});
