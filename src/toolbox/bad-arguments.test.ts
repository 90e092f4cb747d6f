import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { JsonValue } from '../base/index.ts';
import type { BatchContext, ToolOutcome } from '../contracts/index.ts';
import { createToolFixture } from './tools.fixture.ts';

type ToolFixture = Awaited<ReturnType<typeof createToolFixture>>;

/** Calls with arguments exactly as a model wrote them. */
async function runRaw(fixture: ToolFixture, name: string, args: readonly string[]): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  const context: BatchContext = {
    sessionId: 's',
    taskId: 't',
    signal: new AbortController().signal,
    contextLength: undefined,
    state: fixture.state,
    interaction: { approve: async () => 'deny', clarify: async () => undefined },
    onStarted() {},
    onProgress() {},
    onResult: async (_prepared, outcome) => void outcomes.push(outcome),
  };
  const calls = args.map((text, index) => ({ id: `c${index}`, name, arguments: text }));
  await fixture.tools.run(await fixture.tools.prepare(calls), context);
  return outcomes;
}

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

describe('invalid arguments through the real dispatch path', () => {
  verifies('TOOLX-2', 'rejects deeply nested arguments with a clear error', async () => {
    await using fixture = await createToolFixture();
    const huge = [
      deep(100_000),
      deepObject(100_000),
      `{"path":${deep(100_000)}}`,
      `{"path":"a","x":${deepObject(100_000)}}`,
    ];
    for (const name of ['read_file', 'todo', 'terminal']) {
      for (const outcome of await runRaw(fixture, name, huge)) {
        expect(outcome.status).toBe('invalid');
        expect(outcome.content).toMatch(/nested more than 100 levels|must be one JSON object|Invalid arguments/);
        expect(outcome.content.length).toBeLessThan(2000);
      }
    }
  });

  verifies('TOOLX-2', 'answers huge arguments, NUL characters and wrong types with an error', async () => {
    await using fixture = await createToolFixture();
    const big = 'x'.repeat(5_000_000);
    const cases: [string, JsonValue][] = [
      ['read_file', { path: big }],
      ['read_file', { path: 'a\0b' }],
      ['read_file', { path: {} }],
      ['read_file', { path: 'a', limit: 1e308 }],
      ['search_files', { pattern: '\0', path: '\0' }],
      ['write_file', { path: '\0', content: 'x' }],
      ['write_file', { path: `${big}/x`, content: 'x' }],
      ['patch', { mode: 'replace', path: 'nothing', old_string: big, new_string: '' }],
      ['patch', { mode: 'patch', patch: big }],
      ['terminal', { command: 'true\0false' }],
      ['terminal', { command: 'true', workdir: '\0' }],
      ['terminal', { command: [] }],
      ['todo', { todos: [{ id: 1, content: big, status: 'sleeping' }] }],
      ['clarify', { question: '', choices: Array.from({ length: 9 }, String) }],
    ];
    for (const [name, args] of cases) {
      const [outcome] = await runRaw(fixture, name, [JSON.stringify(args)]);
      expect({ name, args: JSON.stringify(args).slice(0, 60), status: outcome?.status }).toMatchObject({
        status: expect.stringMatching(/^(?:error|invalid|denied)$/),
      });
      expect(outcome?.content.isWellFormed()).toBe(true);
      expect(outcome?.content.length).toBeLessThanOrEqual(100_000);
    }
    expect(await readdir(fixture.folder)).toEqual([]);
  });

  verifies('TOOLX-2', 'returns one well-formed result for arguments of any shape', async () => {
    await using fixture = await createToolFixture({ guard: { mode: 'manual' } });
    const text = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom(
        '',
        'null',
        '[]',
        '{',
        '{"path":',
        '"{}"',
        '{"path":"a"}x',
        '\u0000',
        '{"__proto__":{"path":"a"}}',
      ),
      fc.record({ path: fc.anything(), pattern: fc.anything() }).map((value) => {
        try {
          return JSON.stringify(value) ?? '';
        } catch {
          return '';
        }
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('read_file', 'todo', 'clarify', 'patch'), text, async (name, args) => {
        const [outcome, ...others] = await runRaw(fixture, name, [args]);
        expect(others).toEqual([]);
        expect(outcome?.content.isWellFormed()).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
