import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toJsonLine } from '../../../trajectories/index.ts';
import { createPromptKeys, inspectInput, parsePromptLine, type PromptLine } from './read-prompts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-prompts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('an input line', () => {
  it('is parsed as a prompt, a fault or nothing, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parsePromptLine(text);
        const isEmpty = text.replace(/^\uFEFF/, '').trim() === '';
        expect(parsed === undefined).toBe(isEmpty);
        const said = parsed === undefined ? '-' : 'fault' in parsed ? parsed.fault : parsed.prompt.text;
        expect(said.trim()).not.toBe('');
      }),
    );
  });

  it('may have a working directory, attachments and any metadata', () => {
    const line = { prompt: 'go', image: 'debian', cwd: '/src', images: ['a.png'], n: 1, metadata: { source: 'x' } };
    expect(parsePromptLine(`\uFEFF${JSON.stringify(line)}\r`)).toEqual({
      prompt: {
        text: 'go',
        image: 'debian',
        directory: '/src',
        attachments: ['a.png'],
        metadata: { image: 'debian', cwd: '/src', images: ['a.png'], n: 1, source: 'x' },
      },
    });
    for (const wrong of [{ image: 3 }, { cwd: [] }, { images: 'a.png' }, { images: [''] }, { prompt: ['go'] }]) {
      expect(parsePromptLine(JSON.stringify({ prompt: 'go', ...wrong }))).toHaveProperty('fault');
    }
  });
});

describe('numbers in metadata', () => {
  it('are written as they were read, whatever their size', () => {
    const number = fc.stringMatching(/^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(number, (digits) => {
        const parsed = parsePromptLine(
          `{"prompt": "go", "id": ${digits}, "in": {"list": [${digits}]}, "metadata": {"m": ${digits}}}`,
        );
        expect(parsed).toHaveProperty('prompt');
        const { metadata } = (parsed as { prompt: PromptLine }).prompt;
        expect(toJsonLine(metadata)).toBe(`{"id": ${digits}, "in": {"list": [${digits}]}, "m": ${digits}}`);
      }),
    );
  });

  it('may occur where an object is expected', () => {
    expect(parsePromptLine('12345678901234567890')).toHaveProperty('fault');
    const parsed = parsePromptLine('{"prompt": "go", "metadata": 12345678901234567890}') as { prompt: PromptLine };
    expect(toJsonLine(parsed.prompt.metadata)).toBe('{"metadata": 12345678901234567890}');
  });
});

describe('prompt keys', () => {
  it('are equal for equal content and repetition count, and different otherwise', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 })), (contents) => {
        const [first, second] = [createPromptKeys(), createPromptKeys()];
        const keys = contents.map((content) => first.next(content));
        expect(contents.map((content) => second.next(content))).toEqual(keys);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  it('do not depend on metadata', async () => {
    const file = join(folder, 'prompts.jsonl');
    const keysOf = async (...lines: object[]) => {
      await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return (await inspectInput(file)).keys;
    };
    const [plain] = await keysOf({ prompt: 'go' });
    expect(await keysOf({ prompt: 'go', n: 1 })).toEqual([plain]);
    expect(await keysOf({ prompt: 'go', image: 'debian' })).not.toEqual([plain]);
  });
});
