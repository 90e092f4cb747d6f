import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeCarryOver(bench: () => Bench): void {
  describe('a shell goes on where the last one ended', () => {
    verifies('TOOL-6', 'with its directory, which files start from as well', async () => {
      const { environment, run } = await bench().fresh();
      await mkdir(join(bench().folder, 'deep/er'), { recursive: true });
      expect((await run('cd deep')).workingDirectory).toBe(`${bench().folder}/deep`);
      expect((await run('cd er && pwd')).output).toBe(`${bench().folder}/deep/er\n`);
      expect(environment.currentDirectory()).toBe(`${bench().folder}/deep/er`);
      expect(environment.workingDirectory).toBe(bench().folder);
      await environment.writeFile('here.txt', 'x');
      expect((await run('cd - >/dev/null; cat er/here.txt')).output).toBe('x');
    });

    it('with its variables, whatever they hold, and without those it lost', async () => {
      const { run } = await bench().fresh();
      await run(
        `export LINES_HELD=$'a\\nb\\t"c"' MARKS='it'\\''s $x \`y\` \\ ü'; unset LOGNAME; export LOGNAME_GONE=1`,
      );
      const { output } = await run('printf "%s|" "$LINES_HELD" "$MARKS" "${LOGNAME-none}"');
      expect(output).toBe(`a\nb\t"c"|it's $x \`y\` \\ ü|none|`);
      await run('unset MARKS');
      expect((await run('echo "${MARKS-gone}"')).output).toBe('gone\n');
    });

    it('with functions, aliases, shell options and the file mask', async () => {
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

    it('but not with what a script sets for itself', async () => {
      const { run } = await bench().fresh();
      await run('set -euxo pipefail; export KEPT=1');
      expect((await run('false; false | true; echo "$KEPT $NEVER_SET"')).output).toBe('1 \n');
    });
  });
}

export function describeCarryOverLimits(bench: () => Bench): void {
  describe('what a shell goes on from', () => {
    it('after an exit, a failure, and a trap of its own', async () => {
      const { run } = await bench().fresh();
      expect((await run('export FIRST=1; exit 4')).exitCode).toBe(4);
      expect((await run('export SECOND=2; false')).exitCode).toBe(1);
      const trapped = await run('trap "echo bye" EXIT; export THIRD=3');
      expect(trapped).toMatchObject({ output: 'bye\n', exitCode: 0 });
      expect((await run('echo $FIRST$SECOND$THIRD; trap')).output).toMatch(/^123\n/);
    });

    it('but not where the last one was stopped or killed', async () => {
      const { run } = await bench().fresh();
      await run('export STATE=old');
      await run('cd /; export STATE=new; kill -KILL $$');
      await run('cd /; export STATE=new; sleep 60', { timeoutMs: 300 });
      expect((await run('echo "$STATE $PWD"')).output).toBe(`old ${bench().folder}\n`);
    });

    it('with its variables, but not the directory, where the caller chose that', async () => {
      const { run } = await bench().fresh();
      await run('export CHOSEN=yes', { workingDirectory: '/' });
      expect((await run('echo "$CHOSEN $PWD"')).output).toBe(`yes ${bench().folder}\n`);
    });

    it('each by itself in two environments', async () => {
      const [one, two] = [await bench().fresh(), await bench().fresh()];
      await one.run('export ONLY_HERE=1; cd /');
      expect((await two.run('echo "[$ONLY_HERE] $PWD"')).output).toBe(`[] ${bench().folder}\n`);
    });
  });
}
