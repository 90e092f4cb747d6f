import { readdir, readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { dose } from '../../test/support/dose.ts';
import type { JsonObject } from '../base/index.ts';
import { createToolFixture } from './tools.fixture.ts';

/** A multiple of five, so that the last call is a todo list. Two calls with a timeout are at 3 and 103. */
const COUNT = dose(105, 200);

/** Ids of processes with a given environment variable. */
async function processesWith(marker: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      return environment.includes(marker) ? [id] : [];
    }),
  );
  return found.flat();
}

describe('a large batch of mixed calls', () => {
  verifies(
    ['TOOLX-3', 'TOOL-7'],
    'keeps the order of results, yields to the event loop, and leaves no process behind',
    async () => {
      await using fixture = await createToolFixture({ guard: { mode: 'off' } });
      const marker = `HERMES_MANY_${process.pid}_${Date.now()}`;
      await fixture.put('seed.txt', 'needle\n');
      const expected: RegExp[] = [];
      const calls = Array.from({ length: COUNT }, (_, index): { name: string; args: JsonObject } => {
        const file = `f${index % 40}.txt`;
        switch (index % 5) {
          case 0:
            expected.push(/Created|Replaced/);
            return { name: 'write_file', args: { path: file, content: `line ${index}\n` } };
          case 1:
            expected.push(/^1\|needle$/);
            return { name: 'read_file', args: { path: 'seed.txt', offset: 1, limit: 1 + index } };
          case 2:
            expected.push(/needle/);
            return { name: 'search_files', args: { pattern: 'needle', path: 'seed.txt', limit: 10 + index } };
          case 3:
            // Each of these commands has child processes that still run when it times out.
            if (index % 100 === 3) {
              expected.push(/timed out after 1 s; the command and its child processes were killed/);
              const command = `export ${marker}=1; sleep 300 & sleep 300 | cat; echo ${index}`;
              return { name: 'terminal', args: { command, timeout: 1 } };
            }
            expected.push(new RegExp(`^out ${index}$`));
            return {
              name: 'terminal',
              args: { command: `sleep 0 & true; wait; echo out ${index}` },
            };
          default:
            expected.push(/"total":1/);
            return { name: 'todo', args: { todos: [{ id: '1', content: `step ${index}`, status: 'pending' }] } };
        }
      });
      let turns = 0;
      const tick = setInterval(() => (turns += 1), 1);
      const outcomes = await fixture.runAll(calls);
      clearInterval(tick);
      expect(outcomes).toHaveLength(COUNT);
      for (const [index, outcome] of outcomes.entries()) {
        expect({ index, status: outcome.status, content: outcome.content }).toMatchObject({
          status: index % 100 === 3 ? 'error' : 'ok',
          content: expect.stringMatching(expected[index] as RegExp),
        });
      }
      expect(fixture.state.todos[0]?.content).toBe(`step ${COUNT - 1}`);
      expect(turns).toBeGreaterThan(10);
      expect(await processesWith(marker)).toEqual([]);
    },
  );
});
