import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStatelessCommand } from './shell-state.ts';

const NONE: ReadonlySet<string> = new Set();

describe('stateless commands', () => {
  it.each([
    'ls',
    'echo step-1',
    'git status --short && git diff --stat',
    'cat a.txt | grep -n "some words" | head -20',
    "grep -rn 'f(x) { y; }' src 2>/dev/null",
    'npm test > out.log 2>&1',
    './build.sh $HOME/x; make -j4 all',
    'sleep 1 &',
  ])('%s', (command) => {
    expect(isStatelessCommand(command, NONE)).toBe(true);
  });

  it.each([
    'cd x',
    'ls; cd x',
    'ls\ncd x',
    '"cd" x',
    'c\\d x',
    "c''d x",
    '$CD x',
    '>out cd x',
    '2>&1 cd x',
    'X=1 cd y',
    'X=1',
    'x() { :; }',
    '{ cd x; }',
    '(cd x)',
    'if true; then cd x; fi',
    'for PATH in a; do ls; done',
    '! cd x',
    'time cd x',
    'command cd x',
    'echo ${X:=1}',
    'echo $((X=1))',
    'echo a # b',
    'ls & cd x',
    'ls |& cd x',
    'printf -v PATH x',
    'echo "$(ls)"',
    '',
    '   ',
  ])('not %s', (command) => {
    expect(isStatelessCommand(command, NONE)).toBe(false);
  });

  it('are not recognised if a function or alias has the same name', () => {
    expect(isStatelessCommand('git status; ls -l', new Set(['ls']))).toBe(false);
    expect(isStatelessCommand('git status', new Set(['ls']))).toBe(true);
  });

  it('never change the shell that runs them', () => {
    const words = ['cd', '/', 'export', 'A=1', 'PATH', 'echo', 'ls', 'true', '"', "'", '\\', '$', '{', '}', '(', ')'];
    const marks = [';', '&&', '||', '|', '&', '\n', '>', '<', '=', '#', '!', '`', '$A', 'set', 'unset', '[', '*', '-x'];
    const piece = fc.tuple(fc.constantFrom(...words, ...marks), fc.constantFrom('', ' '));
    const command = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.flat().join(''));
    const plain = command.filter((text) => isStatelessCommand(text, NONE));
    fc.assert(
      fc.property(plain, (text) => {
        const look = 'pwd; declare -px; set +o; shopt -p; alias; declare -f; trap; umask';
        const script = `exec 3>&1 >/dev/null 2>&1 </dev/null; { ${look}; } >&3; printf '\\n=\\n' >&3; eval "$1"; { ${look}; } >&3`;
        const options = { cwd: '/proc/self/fdinfo', encoding: 'utf8' as const, env: { PATH: '/usr/bin:/bin', A: 'a' } };
        const [before = '', after] = execFileSync('/bin/bash', ['--norc', '-c', script, 'bash', text], options).split(
          '\n=\n',
        );
        expect(after).toBe(before);
      }),
      { numRuns: 60 },
    );
  });
});
