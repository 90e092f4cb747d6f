import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeCommands(bench: () => Bench): void {
  describe('commands', () => {
    verifies('TOOL-6', 'return their output, both streams in order, and their exit code', async () => {
      const result = await bench().run('echo one; echo two >&2; echo three; exit 3');
      expect(result).toMatchObject({ output: 'one\ntwo\nthree\n', omitted: 0, exitCode: 3, ended: 'exit' });
    });

    it('run in the shell of the environment, without our own parameters', async () => {
      const { run, environment } = bench();
      expect((await run('echo "$0 $# $1"')).output).toBe(`${environment.shell} 0 \n`);
      expect((await run('sh -c exit; echo "$?"')).output).toBe('0\n');
    });

    it('have an empty stdin unless one is given', async () => {
      const { run } = bench();
      expect((await run('cat; echo end')).output).toBe('end\n');
      expect((await run('cat', { stdin: 'Grüße\n' })).output).toBe('Grüße\n');
      expect((await run('wc -c', { stdin: new Uint8Array(300_000) })).output.trim()).toBe('300000');
      expect((await run('true', { stdin: 'x'.repeat(300_000) })).exitCode).toBe(0);
    });

    it('return their output even if they do not read their stdin', async () => {
      for (let round = 0; round < 5; round++) {
        const result = await bench().run('echo heard; exit 3', { stdin: 'unread' });
        expect(result).toMatchObject({ output: 'heard\n', exitCode: 3 });
      }
    });

    it('report a syntax error, and a missing program with its line', async () => {
      const { run } = bench();
      expect(await run('if then')).toMatchObject({ exitCode: 2, output: expect.stringContaining('syntax error') });
      const missing = await run('true\n\nno-such-program-here');
      expect(missing).toMatchObject({ exitCode: 127, output: expect.stringContaining('line 3: no-such-program-here') });
    });
  });
}

export function describeOutput(bench: () => Bench): void {
  describe('output of commands', () => {
    it('preserves every character', async () => {
      const text = `a'b"c\\d $HOME \`x\` \t ü 漢字 🎉 %s !`;
      const { output } = await bench().run(`cat <<'END'\n${text}\nEND`);
      expect(output).toBe(`${text}\n`);
    });

    it('may contain bytes that are not text', async () => {
      const { output, exitCode } = await bench().run(`printf 'a\\377\\000b\\303'; printf '\\274\\n'`);
      expect(exitCode).toBe(0);
      expect(output).toMatch(/^a\uFFFD.*bü\n$/s);
    });

    it('is truncated in the middle if it is too long', async () => {
      const { output, omitted } = await bench().run('echo first; yes 0123456789 | head -c 3000000; echo last', {
        maxOutput: 1000,
      });
      expect(output.startsWith('first\n')).toBe(true);
      expect(output.endsWith('last\n')).toBe(true);
      expect(omitted).toBe(3_000_000 + 6 + 5 - 1000);
    });

    it('is returned for commands that exceed the length limit of an argument', async () => {
      const { output } = await bench().run(`x='${'y'.repeat(300_000)}'; echo "\${#x}"`);
      expect(output).toBe('300000\n');
    });

    it('is reported while the command runs', async () => {
      const pieces: string[] = [];
      await bench().run('echo a; echo b', { onOutput: (text) => pieces.push(text) });
      expect(pieces.join('')).toBe('a\nb\n');
    });

    it('distinguishes a signal from an exit code', async () => {
      const { run } = bench();
      expect(await run('kill -KILL $$')).toMatchObject({ ended: 'signal', signalName: 'SIGKILL', exitCode: undefined });
      expect(await run('exit 137')).toMatchObject({ ended: 'exit', exitCode: 137 });
    });

    it('comes from the given working directory', async () => {
      const { run, folder, environment } = bench();
      await mkdir(join(folder, 'own place'), { recursive: true });
      const result = await run('pwd', { workingDirectory: 'own place' });
      expect(result).toMatchObject({ output: `${folder}/own place\n`, workingDirectory: `${folder}/own place` });
      expect(environment.currentDirectory()).toBe(folder);
    });

    it('contains no secrets of this process', async () => {
      expect((await bench().run('echo "[$CONFORMANCE_API_KEY]"')).output).toBe('[]\n');
    });
  });
}

export function describeShellState(bench: () => Bench): void {
  describe('the shell state', () => {
    verifies('TOOL-6', 'includes the directory, which file paths are relative to as well', async () => {
      const { environment, run } = await bench().fresh();
      await mkdir(join(bench().folder, 'deep/er'), { recursive: true });
      expect((await run('cd deep')).workingDirectory).toBe(`${bench().folder}/deep`);
      expect((await run('cd er && pwd')).output).toBe(`${bench().folder}/deep/er\n`);
      expect(environment.currentDirectory()).toBe(`${bench().folder}/deep/er`);
      expect(environment.workingDirectory).toBe(bench().folder);
      await environment.writeFile('here.txt', 'x');
      expect((await run('cd - >/dev/null; cat er/here.txt')).output).toBe('x');
    });

    it('includes variables with any content, and unset ones', async () => {
      const { run } = await bench().fresh();
      await run(
        `export LINES_HELD=$'a\\nb\\t"c"' MARKS='it'\\''s $x \`y\` \\ ü'; unset LOGNAME; export LOGNAME_GONE=1`,
      );
      const { output } = await run('printf "%s|" "$LINES_HELD" "$MARKS" "${LOGNAME-none}"');
      expect(output).toBe(`a\nb\t"c"|it's $x \`y\` \\ ü|none|`);
      await run('unset MARKS');
      expect((await run('echo "${MARKS-gone}"')).output).toBe('gone\n');
    });

    it('includes functions, aliases, shell options and the umask', async () => {
      const { run } = await bench().fresh();
      await run('shopt -s extglob globstar\nset -o noclobber\numask 027');
      await run('greet() { case $1 in @(a|b)) echo "hi $1";; esac; }\nalias twice="greet b; greet"');
      const { output } = await run(
        'greet a; twice a; shopt -q globstar && echo star; umask; [ -o noclobber ] && echo kept',
      );
      expect(output).toBe('hi a\nhi b\nhi a\nstar\n0027\nkept\n');
      expect((await run('unset -f greet; greet a')).exitCode).toBe(127);
      expect((await run('greet a')).exitCode).toBe(127);
    });

    it('excludes options that a script sets for itself', async () => {
      const { run } = await bench().fresh();
      await run('set -euxo pipefail; export KEPT=1');
      expect((await run('false; false | true; echo "$KEPT $NEVER_SET"')).output).toBe('1 \n');
    });
  });
}

export function describeShellStateLimits(bench: () => Bench): void {
  describe('the limits of the shell state', () => {
    it('is kept after an exit, a failure, and a trap of the command', async () => {
      const { run } = await bench().fresh();
      expect((await run('export FIRST=1; exit 4')).exitCode).toBe(4);
      expect((await run('export SECOND=2; false')).exitCode).toBe(1);
      const trapped = await run('trap "echo bye" EXIT; export THIRD=3');
      expect(trapped).toMatchObject({ output: 'bye\n', exitCode: 0 });
      expect((await run('echo $FIRST$SECOND$THIRD; trap')).output).toMatch(/^123\n/);
    });

    it('is not kept if the command was stopped or killed', async () => {
      const { run } = await bench().fresh();
      await run('export STATE=old');
      await run('cd /; export STATE=new; kill -KILL $$');
      await run('cd /; export STATE=new; sleep 60', { timeoutMs: 300 });
      expect((await run('echo "$STATE $PWD"')).output).toBe(`old ${bench().folder}\n`);
    });

    it('keeps variables but not the directory if the caller chose one', async () => {
      const { run } = await bench().fresh();
      await run('export CHOSEN=yes', { workingDirectory: '/' });
      expect((await run('echo "$CHOSEN $PWD"')).output).toBe(`yes ${bench().folder}\n`);
    });

    it('is separate for two environments', async () => {
      const [one, two] = [await bench().fresh(), await bench().fresh()];
      await one.run('export ONLY_HERE=1; cd /');
      expect((await two.run('echo "[$ONLY_HERE] $PWD"')).output).toBe(`[] ${bench().folder}\n`);
    });
  });
}
