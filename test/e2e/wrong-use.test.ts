import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { fastClock, runHermes } from '../support/run-hermes.ts';

// Common mistakes, run through the real command. The output says in two lines what happened and what to do next.

const cli = useCliFixture();
const hermes = (args: readonly string[]) => runHermes([...args], { home: cli.home });

/** Arguments, exit code, expected message and expected hint. */
type Case = readonly [args: readonly string[], exitCode: number, said: RegExp, next: RegExp];

const WITHOUT_A_MODEL: readonly Case[] = [
  [['-q', 'hi'], 2, /No model is configured/, /hermes setup/],
  [['-q', 'hi', '--resume', 'nope'], 2, /no session "nope"/, /hermes sessions list/],
  [['-q', 'hi', '--toolsets', 'terminl'], 2, /--toolsets: "terminl" is not a known tool/, /hermes tools list/],
  [['-q', 'hi', '--skills', 'nope'], 2, /--skills: Skill not found: "nope"/, /hermes skills list/],
  [['-q', 'hi', '--provider', 'openrouter', '--resume', 'nope'], 2, /no session "nope"/, /hermes sessions list/],
  [['-q', 'hi', '--model', 'm'], 2, /No provider is set for the model "m"/, /--provider/],
  [['-z', 'hi', '--provider', 'openruter'], 2, /"openruter" is not a known provider/, /Did you mean openrouter/],
  [['-z', 'hi', '--provider', 'zzzz'], 2, /"zzzz" is not a known provider/, /openrouter.*hermes setup/],
  [['-z', 'hi', '--provider', 'openrouter'], 2, /No API key was found for OpenRouter/, /hermes auth add openrouter/],
  [['setup'], 2, /needs a terminal to ask in/, /hermes setup --provider/],
  [['model'], 2, /needs a terminal to ask in/, /hermes model set/],
];

const WRONG_NAMES: readonly Case[] = [
  [['sesions', 'list'], 2, /Unknown command "sesions"/, /hermes sessions/],
  [
    ['sessions', 'lst'],
    2,
    /Unknown command `hermes sessions lst`\. Did you mean `hermes sessions list`\?/,
    /hermes sessions --help/,
  ],
  [['sessions', 'show', 'nothing'], 2, /no session "nothing"/, /hermes sessions list/],
  [['replay', 'nothing'], 2, /no session "nothing"/, /hermes sessions list/],
  [['-p', 'nobody', 'status'], 2, /no profile "nobody"/, /profile list/],
  [['profile', 'delete', 'nobody'], 2, /no profile "nobody"/, /profile list/],
  [['config', 'get', 'nonsense'], 1, /Unknown key/, /hermes config show/],
  [['config', 'get', 'agent.max_turn'], 1, /Unknown key/, /agent\.max_turns/],
  [['config', 'explain', 'agent.max_turn'], 2, /not a known key or variable/, /agent\.max_turns/],
  [['config', 'set', 'agent.max_turns', 'lots'], 2, /must be a whole number/, /hermes config explain agent\.max_turns/],
  [['config', 'unset', 'agent.max_turns'], 1, /not set in/, /hermes config show/],
  [['tools', 'enable', 'terminl'], 2, /not a known tool set or tool\. Did you mean terminal/, /hermes tools list/],
  [['skills', 'inspect', 'zzzzzz'], 1, /Skill not found: "zzzzzz"/, /hermes skills list/],
  [['fallback', 'remove', '3'], 2, /no fallback 3/, /hermes fallback add/],
  [['completion', 'tcsh'], 2, /`tcsh` is not a supported shell\. Use bash, zsh or fish/, /hermes completion --help/],
  [['skills', 'view', 'code-review'], 2, /Did you mean `hermes skills inspect`/, /hermes skills --help/],
  [['skills', 'inspect', 'code-reviw'], 1, /Skill not found: "code-reviw"/, /Did you mean code-review/],
  [['tools', 'info', 'ptch'], 2, /"ptch" is not a known tool set or tool/, /hermes tools list/],
  [['mcp', 'test', 'nothing'], 2, /no MCP server "nothing"/, /hermes mcp add nothing/],
  [['auth', 'remove', 'openrouter'], 2, /No credential is stored for OpenRouter/, /hermes auth list/],
  [['model', 'set', 'demo'], 2, /"demo" is not a known provider/, /only in a chat/],
  [['sessions', 'migrate', '--to', 'mysql://x/y'], 2, /does not start with postgresql/, /postgresql:/],
];

const WRONG_FILES: readonly Case[] = [
  [['--query-file', 'missing.md'], 2, /Cannot read .*missing\.md: /, /text file that exists/],
  [['-q', 'x', '--provider', 'demo', '--image', 'a.png'], 2, /Cannot attach .*a\.png: no such file/, /path/],
  [
    ['-q', 'x', '--provider', 'demo', '--usage-file', 'no/u.json'],
    2,
    /Cannot write the usage file .*u\.json: /,
    /directory/,
  ],
  [['sessions', 'export', 'no/x.jsonl'], 1, /Cannot write .*x\.jsonl: /, /existing folder/],
  [['sessions', 'import', 'missing.jsonl'], 2, /Cannot read .*missing\.jsonl: /, /hermes sessions export/],
  [
    ['backup', '-o', 'no/b.tar.gz'],
    2,
    /Cannot write .*b\.tar\.gz: the directory .*no does not exist/,
    /existing directory/,
  ],
  [['backup', '-o', '.'], 2, /is a directory, but -o expects a file/, /file name, for example -o/],
  [['batch', 'run', 'missing.jsonl'], 2, /Cannot read .*missing\.jsonl: no such file/, /existing file/],
  [['batch', 'submit', '--input', 'missing.jsonl'], 2, /Cannot read .*missing\.jsonl: no such file/, /existing file/],
  [['trajectories', 'stats', 'missing.jsonl'], 2, /Cannot read .*missing\.jsonl: no such file/, /JSON lines/],
  [['import', 'missing.tar.gz'], 2, /Cannot import .*missing\.tar\.gz: no such file/, /hermes backup/],
  [['import', 'config.yaml'], 2, /Cannot import .*config\.yaml: it is not a gzip archive/, /hermes backup/],
];

async function check([args, exitCode, said, next]: Case): Promise<void> {
  const result = await hermes(args);
  const [first = '', ...rest] = result.stderr.trimEnd().split('\n');
  const shown = { exitCode: result.exitCode, first, next: rest.join('\n') };
  expect(shown, args.join(' ')).toEqual({
    exitCode,
    first: expect.stringMatching(new RegExp(`^hermes: .*${said.source}`)),
    next: expect.stringMatching(new RegExp(`^ {8}.*${next.source}`)),
  });
  // No system error codes, no stack trace, and short.
  expect(result.stderr).not.toMatch(/\bE[A-Z]{4,}\b|^\s+at /m);
  expect(result.stderr.length).toBeLessThan(600);
  expect(result.stdout).toBe('');
}

/** One after the other, because a command that is started while another one is running needs a new process. */
async function checkAll(cases: readonly Case[]): Promise<void> {
  for (const each of cases) await check(each);
}

describe('wrong usage', () => {
  verifies('BOUND-2', 'without a model: says what is missing and how to connect one', async () => {
    await checkAll(WITHOUT_A_MODEL);
  });

  verifies('BOUND-2', 'wrong names: suggests a similar one, or where the valid ones are listed', async () => {
    await checkAll(WRONG_NAMES);
  });

  verifies('BOUND-2', 'wrong files: the path and the reason', async () => {
    await cli.home.write('config.yaml', 'agent: {}\n');
    const placed = (word: string) => (word === 'config.yaml' ? join(cli.home.path, word) : word);
    await checkAll(WRONG_FILES.map(([args, ...rest]): Case => [args.map(placed), ...rest]));
  });
});

describe('an unusable home', () => {
  verifies('BOUND-2', 'a file instead of the home is reported, and not as an internal error', async () => {
    const file = join(cli.home.path, 'a-file');
    await writeFile(file, 'x');
    for (const args of [
      ['-z', 'x', '--provider', 'demo'],
      ['sessions', 'list'],
      ['config', 'set', 'agent.max_turns', '5'],
    ]) {
      const result = await runHermes(args, { home: cli.home, env: { HERMES_HOME: file } });
      expect(result.exitCode, args.join(' ')).not.toBe(0);
      expect(result.stderr).toContain(file);
      expect(result.stderr).toMatch(/is a file, not a folder|a file with this name already exists/);
      expect(result.stderr).not.toMatch(/inside hermes|EEXIST/);
    }
  });

  verifies(
    'BOUND-2',
    'a folder or invalid text instead of config.yaml is reported by every command that reads it',
    async () => {
      await cli.home.write('config.yaml', 'model: [\n');
      for (const args of ['status', 'tools list', 'config show', 'model show', '-z hi'].map((text) =>
        text.split(' '),
      )) {
        const { exitCode, stderr } = await hermes(args);
        expect([args, exitCode, stderr]).toEqual([
          args,
          2,
          expect.stringMatching(/config\.yaml, line \d.*\n {8}Correct/),
        ]);
      }
      const { stdout } = await hermes(['config', 'check']);
      expect(stdout).toMatch(/✗ .*line \d/);
    },
  );
});

it('a refused connection: the URL and what to do', async () => {
  const free = createServer();
  await new Promise<void>((resolve) => void free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => void free.close(resolve));
  const address = `http://127.0.0.1:${port}/v1`;
  await cli.home.write(
    'config.yaml',
    `model: { provider: custom, default: m, base_url: "${address}" }\nagent: { retry_seconds: 20 }\n`,
  );
  const { exitCode, stderr } = await runHermes(['-z', 'hi'], { home: cli.home, clock: fastClock });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/; retrying in \d+ s\n/);
  expect(stderr).toMatch(new RegExp(`127\\.0\\.0\\.1:${port}`));
  expect(stderr).toMatch(/No server is listening there\. Start the server or correct base_url/);
});

it('a deleted working directory: what happened and what to do', async () => {
  const command = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" -z hi --json';
  const program = join(import.meta.dirname, '../../bin/hermes.js');
  const options = { cwd: cli.home.path, env: { ...process.env, HERMES_HOME: cli.home.path } };
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile('sh', ['-c', command, process.execPath, program], options, (_, out, err) =>
      resolve({ stdout: out, stderr: err }),
    );
  });
  expect(stderr).toMatch(
    /^hermes could not start: the current directory no longer exists\.\n {8}Change to an existing/,
  );
  expect(JSON.parse(stdout)).toMatchObject({ type: 'result', exit_reason: 'failed', exit_code: 1 });
});
