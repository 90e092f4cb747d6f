import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { HermesError } from '../base/index.ts';
import { appendLine } from './index.ts';
import { fullDoseOnly } from '../../test/support/dose.ts';

const SCRIPT = join(import.meta.dirname, '../../test/support/lines-process.ts');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-lines-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function linesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1);
}

async function startWriter(file: string, name: string, count: number, size: number): Promise<ChildProcess> {
  const words = [SCRIPT, file, name, String(count), String(size)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

/**
 * Waits until a process has exited and returns the number of lines that it reported. It is killed after `killAfter`
 * lines.
 */
async function finish(child: ChildProcess, killAfter = Infinity): Promise<number> {
  let said = '';
  const count = () => said.split('\n').length - 1;
  child.stdout?.on('data', (data: Buffer) => {
    said += data.toString();
    if (count() >= killAfter) child.kill('SIGKILL');
  });
  child.stdin?.write('go');
  await once(child, 'close');
  return count();
}

verifies(
  'TRAJ-1',
  'keeps every written line complete and unique when several processes write and some are killed',
  fullDoseOnly,
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'a.jsonl');
    const [count, size] = [15, 300_000];
    const children = await Promise.all([0, 1, 2, 3, 4].map((n) => startWriter(file, `w${n}`, count, size)));
    const written = await Promise.all(children.map((child, n) => finish(child, n < 2 ? 5 + n : Infinity)));
    await appendLine(file, { name: 'last' });
    const whole = linesOf(file).flatMap((line) => {
      try {
        return [JSON.parse(line) as { name: string; index: number; filling?: string }];
      } catch {
        return [];
      }
    });
    expect(whole.at(-1)).toEqual({ name: 'last' });
    // At most one incomplete line per killed process.
    expect(linesOf(file).length - whole.length).toBeLessThanOrEqual(2);
    for (const [n, said] of written.entries()) {
      const own = whole.filter(({ name }) => name === `w${n}`);
      expect(own.map(({ index }) => index)).toEqual(own.map((_, index) => index));
      expect(own.length).toBeGreaterThanOrEqual(said);
      expect(own.every(({ filling }) => filling?.length === size)).toBe(true);
    }
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
  },
);

describe('appendLine', () => {
  it('starts a new line after an incomplete one', async () => {
    const file = join(temporaryFolder(), 'a.jsonl');
    writeFileSync(file, '{"a": 1}\n{"b": ');
    await appendLine(file, { c: 3 });
    expect(linesOf(file)).toEqual(['{"a": 1}', '{"b": ', '{"c": 3}']);
  });

  it('loses no line with concurrent writers in one process', async () => {
    const file = join(temporaryFolder(), 'a.jsonl');
    await Promise.all(Array.from({ length: 50 }, (_, index) => appendLine(file, { index })));
    const expected = Array.from({ length: 50 }, (_, index) => `{"index": ${index}}`);
    expect(linesOf(file).toSorted()).toEqual(expected.toSorted());
  });

  it('writes any value as one line that parses to the same value, except for lone surrogates', async () => {
    const file = join(temporaryFolder(), 'a.jsonl');
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom('\n', '\r', '\u2028', '\u0085', '"', '\\', ',', ':'), fc.string()),
    });
    const values: object[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double(), fc.constant(null))),
        async (value) => {
          const plain = JSON.parse(JSON.stringify(value).toWellFormed()) as object;
          values.push(plain);
          await appendLine(file, plain);
        },
      ),
    );
    const lines = readFileSync(file, 'utf8').split(/[\n\r\u2028\u2029\u0085]/);
    expect(lines.slice(0, -1).map((line) => JSON.parse(line) as object)).toEqual(values);
  });

  it('names the file that cannot be written, with a hint', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a.jsonl'));
    const failing = appendLine(join(folder, 'a.jsonl'), {});
    await expect(failing).rejects.toThrow(`Nothing was written to ${join(folder, 'a.jsonl')}: it is a directory.`);
    await expect(appendLine(join(folder, 'none', 'b.jsonl'), {})).rejects.toThrow('no such file or directory');
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
  });

  it('does not follow a link, which a command in the sandbox could have made', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'outside'), 'x\n');
    symlinkSync('outside', join(folder, 'a.jsonl'));
    const failing = appendLine(join(folder, 'a.jsonl'), { command: '$(touch y)' });
    await expect(failing).rejects.toThrow('it is a symbolic link');
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('x\n');
  });

  it('leaves no part of a line on a full disk, and one failure does not affect the next write', async ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'hermes-test', folder]);
    onTestFinished(() => {
      if (status === 0) spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    if (status !== 0) skip('no small disk can be mounted here');
    const file = join(folder, 'a.jsonl');
    await appendLine(file, { a: 1 });
    appendFileSync(file, 'torn');
    const before = readFileSync(file, 'utf8');
    const failure = await appendLine(file, { filling: 'x'.repeat(2_000_000) }).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(HermesError);
    expect(String(failure)).toContain('the disk is full');
    expect(readFileSync(file, 'utf8')).toBe(before);
    await appendLine(file, { b: 2 });
    expect(linesOf(file)).toEqual(['{"a": 1}', 'torn', '{"b": 2}']);
  });
});
