import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Bench } from './bench.ts';

export function describeCommands(bench: () => Bench): void {
  describe('commands', () => {
    verifies('TOOL-6', 'give their output, both streams in order, and their exit code', async () => {
      const result = await bench().run('echo one; echo two >&2; echo three; exit 3');
      expect(result).toMatchObject({ output: 'one\ntwo\nthree\n', omitted: 0, exitCode: 3, ended: 'exit' });
    });

    it('are read by the shell that the environment names, without leftovers of ours', async () => {
      const { run, environment } = bench();
      expect((await run('echo "$0 $# $1"')).output).toBe(`${environment.shell} 0 \n`);
      expect((await run('sh -c exit; echo "$?"')).output).toBe('0\n');
    });

    it('have nothing to read, unless they are given something', async () => {
      const { run } = bench();
      expect((await run('cat; echo end')).output).toBe('end\n');
      expect((await run('cat', { stdin: 'Grüße\n' })).output).toBe('Grüße\n');
      expect((await run('wc -c', { stdin: new Uint8Array(300_000) })).output.trim()).toBe('300000');
      expect((await run('true', { stdin: 'x'.repeat(300_000) })).exitCode).toBe(0);
    });

    it('are heard also where they leave unread what they are given', async () => {
      for (let round = 0; round < 5; round++) {
        const result = await bench().run('echo heard; exit 3', { stdin: 'unread' });
        expect(result).toMatchObject({ output: 'heard\n', exitCode: 3 });
      }
    });

    it('are told about a syntax error, a missing program and its line', async () => {
      const { run } = bench();
      expect(await run('if then')).toMatchObject({ exitCode: 2, output: expect.stringContaining('syntax error') });
      const missing = await run('true\n\nno-such-program-here');
      expect(missing).toMatchObject({ exitCode: 127, output: expect.stringContaining('line 3: no-such-program-here') });
    });
  });
}

export function describeOutput(bench: () => Bench): void {
  describe('output of commands', () => {
    it('keep every character of their text and of their output', async () => {
      const text = `a'b"c\\d $HOME \`x\` \t ü 漢字 🎉 %s !`;
      const { output } = await bench().run(`cat <<'END'\n${text}\nEND`);
      expect(output).toBe(`${text}\n`);
    });

    it('may print bytes that are no text', async () => {
      const { output, exitCode } = await bench().run(`printf 'a\\377\\000b\\303'; printf '\\274\\n'`);
      expect(exitCode).toBe(0);
      expect(output).toMatch(/^a\uFFFD.*bü\n$/s);
    });

    it('may print more than memory should hold: beginning and end are kept', async () => {
      const { output, omitted } = await bench().run('echo first; yes 0123456789 | head -c 3000000; echo last', {
        maxOutput: 1000,
      });
      expect(output.startsWith('first\n')).toBe(true);
      expect(output.endsWith('last\n')).toBe(true);
      expect(omitted).toBe(3_000_000 + 6 + 5 - 1000);
    });

    it('may themselves be longer than an argument of a program', async () => {
      const { output } = await bench().run(`x='${'y'.repeat(300_000)}'; echo "\${#x}"`);
      expect(output).toBe('300000\n');
    });

    it('tell what they print while they run', async () => {
      const pieces: string[] = [];
      await bench().run('echo a; echo b', { onOutput: (text) => pieces.push(text) });
      expect(pieces.join('')).toBe('a\nb\n');
    });

    it('tell a signal from an exit code', async () => {
      const { run } = bench();
      expect(await run('kill -KILL $$')).toMatchObject({ ended: 'signal', signalName: 'SIGKILL', exitCode: undefined });
      expect(await run('exit 137')).toMatchObject({ ended: 'exit', exitCode: 137 });
    });

    it('run in a directory of their own where they are given one', async () => {
      const { run, folder, environment } = bench();
      await mkdir(join(folder, 'own place'), { recursive: true });
      const result = await run('pwd', { workingDirectory: 'own place' });
      expect(result).toMatchObject({ output: `${folder}/own place\n`, workingDirectory: `${folder}/own place` });
      expect(environment.currentDirectory()).toBe(folder);
    });

    it('have no secrets of this program', async () => {
      expect((await bench().run('echo "[$CONFORMANCE_API_KEY]"')).output).toBe('[]\n');
    });
  });
}
