import { spawnSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';

// Runs the scripts in their shells, as far as these are installed; bash always is.

const BINARY = join(import.meta.dirname, '../../bin/hermes.js');
const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const isThere = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** The completions that a shell proposes for these words; the last one is being typed. */
type Complete = (...words: string[]) => string[];

const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

const SHELLS: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) => [
    '--norc',
    '-c',
    `source ${script}; COMP_WORDS=(hermes ${quoted(words)}); COMP_CWORD=${words.length}; _hermes_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, words) => [
    '-f',
    '-c',
    `compdef() { :; }; _files() { print FILES; }; compadd() { print -l -- $names; }; source ${script}
     words=(hermes ${quoted(words)}); CURRENT=${words.length + 1}; _hermes`,
  ],
  fish: (script, words) => [
    '--no-config',
    '-c',
    `source ${script}; complete -C "hermes ${words.join(' ')}" | string replace -r '\\t.*' ''`,
  ],
};

function completeWith(shell: string, script: string): Complete {
  return (...words) => {
    const folder = join(cli.home.path, 'programs');
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      HOME: cli.home.userHome,
      HERMES_HOME: cli.home.path,
    };
    const { stdout, stderr } = spawnSync(shell, SHELLS[shell]?.(script, words) ?? [], { env, encoding: 'utf8' });
    expect(stderr).toBe('');
    const last = words.at(-1) ?? '';
    // Zsh filters the proposals itself.
    return lines(stdout).filter((line) => line.startsWith(last) || line.includes('\\'));
  };
}

describe.each(Object.keys(SHELLS))('completion in %s', (shell) => {
  let complete: Complete;
  beforeEach(async () => {
    const program = join(cli.home.path, 'programs', 'hermes');
    await cli.home.write('programs/hermes', `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`);
    await chmod(program, 0o755);
    const script = join(cli.home.path, 'script');
    await writeFile(script, (await hermes('completion', shell)).stdout);
    complete = completeWith(shell, script);
  });
  const test = isThere(shell) ? it : it.skip;

  test('proposes commands, options and choices at the right positions', () => {
    expect(complete('sess')).toEqual(['sessions']);
    expect(complete('')).toEqual(expect.arrayContaining(['chat', 'config', 'logs', 'sessions']));
    expect(complete('')).not.toContain('__complete');
    expect(complete('sessions', 'ex')).toEqual(['export']);
    expect(complete('logs', '--l').toSorted()).toEqual(['--level', '--lines']);
    expect(complete('logs', '--level', '')).toEqual(expect.arrayContaining(['debug', 'info', 'warn', 'error']));
    expect(complete('logs', '--level', 'wa')).toEqual(['warn']);
    expect(complete('completion', 'z')).toEqual(['zsh']);
    expect(complete('logs', '--json', '--sinc')).toEqual(['--since']);
    expect(complete('logs', 'x')).toEqual([]);
  });

  test('looks up keys, providers, models and sessions', fullDoseOnly, async () => {
    expect(complete('config', 'set', 'agent.max_t')).toEqual(['agent.max_turns']);
    expect(complete('--provider', 'openro')).toEqual(['openrouter']);
    await cli.home.write('config.yaml', 'model: { provider: anthropic, default: my-own-model }\n');
    expect(complete('-m', 'my-own')).toEqual(['my-own-model']);
    expect(complete('--model', 'claude-').length).toBeGreaterThan(2);
    expect(complete('--resume', '')).toEqual([]);
    await hermes('--provider', 'demo', '-q', 'hello');
    const [session] = JSON.parse((await hermes('sessions', 'list', '--json')).stdout) as { id: string }[];
    await hermes('sessions', 'rename', session?.id ?? '', 'Fix', 'the', 'build');
    expect(complete('sessions', 'show', '2')).toEqual([session?.id]);
    expect(complete('--resume', 'Fi').map((word) => word.replaceAll('\\', ''))).toEqual(['Fix the build']);
    await cli.home.write('config.yaml', 'model: [\n');
    expect(complete('--model', 'x')).toEqual([]);
  });
});

verifies('SURF-2', 'completion rejects an unknown shell', async () => {
  expect(await hermes('completion', 'tcsh')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('`tcsh` is not a supported shell. Use bash, zsh or fish.'),
  });
});
