import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();
const hermes = (args: string[], input?: string) => runHermes(args, { home: cli.home, input });
const config = () => readFile(join(cli.home.path, 'config.yaml'), 'utf8');

describe('hermes approvals check', () => {
  verifies('APPR-1', 'judges a command without running it, and says which part matched and why', async () => {
    const asked = await hermes(['approvals', 'check', 'touch ran.txt && rm -rf build']);
    expect(asked.exitCode).toBe(3);
    expect(asked.stdout).toContain(
      'needs approval\n  recursive delete: rm -rf build\n  "always" would allow: rm -rf build\n',
    );
    expect(await hermes(['approvals', 'check', 'ls', '-la'])).toMatchObject({ exitCode: 0, stdout: 'allowed\n' });
    expect(await hermes(['approvals', 'check', '--', 'rm', '-rf', '/'])).toMatchObject({ exitCode: 4 });
    const { stdout } = await hermes(['approvals', 'check', '--json', 'git push --force']);
    expect(JSON.parse(stdout)).toEqual({
      command: 'git push --force',
      verdict: 'ask',
      reasons: ['rewrite git history'],
      matched: 'git push --force',
    });
  });

  it('answers each line of stdin with one line, in order', async () => {
    const commands = ['ls', 'rm -rf /', 'echo "rm -rf /"', 'npm publish'];
    const lines = commands.map((command) => JSON.stringify({ command }));
    const { exitCode, stdout } = await hermes(['approvals', 'check', '--stdin'], `${lines.join('\r\n')}\n`);
    expect(exitCode).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ command, verdict }) => [command, verdict])).toEqual([
      ['ls', 'allow'],
      ['rm -rf /', 'block'],
      ['echo "rm -rf /"', 'allow'],
      ['npm publish', 'ask'],
    ]);
    expect(answers[0]).toEqual({ command: 'ls', verdict: 'allow', reasons: [], matched: null });
  });

  it('reports a line that it cannot read, and continues', async () => {
    const { exitCode, stdout } = await hermes(
      ['approvals', 'check', '--stdin'],
      '{"command": 3}\nno\n\n{"command":"ls"}\n',
    );
    expect(exitCode).toBe(1);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(3);
    expect(answers[0]).toMatchObject({ command: null, error: expect.stringContaining('command') });
    expect(answers[2]).toMatchObject({ verdict: 'allow' });
    expect(await hermes(['approvals', 'check'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('No command'),
    });
  });

  it('respects what the user allowed and denied', async () => {
    await cli.home.write(
      'config.yaml',
      'approvals: { mode: off, deny: ["curl *"] }\ncommand_allowlist: [git push --force *]\n',
    );
    expect(await hermes(['approvals', 'check', 'git push --force origin x'])).toMatchObject({ exitCode: 0 });
    expect(await hermes(['approvals', 'check', 'curl https://example.com'])).toMatchObject({ exitCode: 4 });
    // The approval mode does not affect `approvals check`.
    expect(await hermes(['approvals', 'check', 'rm -rf build'])).toMatchObject({ exitCode: 3 });
  });
});

describe('hermes approvals list and forget', () => {
  verifies('APPR-3', 'show the allow-list and remove one entry without changing the others', async () => {
    await cli.home.write(
      'config.yaml',
      '# mine\ncommand_allowlist:\n  - recursive delete # handy\n  - npm publish *\n  - rm -rf dist\nmodel: m\n',
    );
    const { stdout } = await hermes(['approvals', 'list', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      mode: 'manual',
      allowed: [
        { entry: 'recursive delete', kind: 'rule' },
        { entry: 'npm publish *', kind: 'pattern' },
        { entry: 'rm -rf dist', kind: 'command' },
      ],
      denied: [],
    });
    expect((await hermes(['approvals', 'list'])).stdout).toBe(
      'rule     recursive delete\npattern  npm publish *\ncommand  rm -rf dist\n',
    );
    expect(await hermes(['approvals', 'forget', 'npm publish *'])).toMatchObject({ exitCode: 0 });
    expect(await config()).toBe(
      '# mine\ncommand_allowlist:\n  - recursive delete # handy\n  - rm -rf dist\nmodel: m\n',
    );
    const wrong = await hermes(['approvals', 'forget', 'rm -rf dits']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean "rm -rf dist"?') });
    expect(JSON.parse((await hermes(['approvals', 'forget', 'rm -rf dist', '--json'])).stdout)).toEqual({
      forgotten: 'rm -rf dist',
    });
    await hermes(['approvals', 'forget', 'recursive delete']);
    expect((await hermes(['approvals', 'list'])).stdout).toBe('The allow-list is empty.\n');
  });
});
