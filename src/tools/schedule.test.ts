import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Concurrency } from '../contracts/index.ts';
import { createCallSchedule } from './schedule.ts';

const at = (access: 'read' | 'write', ...paths: string[]): Concurrency => ({ mode: 'paths', access, paths });

/** Adds calls that never finish, and returns which of them could start. */
async function begun(scopes: readonly Concurrency[]): Promise<boolean[]> {
  const timetable = createCallSchedule();
  const started = scopes.map(() => false);
  for (const [index, scope] of scopes.entries()) {
    void timetable.add(scope, () => {
      started[index] = true;
      return new Promise(() => undefined);
    });
  }
  await new Promise(setImmediate);
  return started;
}

describe('the call schedule', () => {
  it('treats a directory as containing everything below it', async () => {
    expect(await begun([at('write', '/a'), at('read', '/a/b')])).toEqual([true, false]);
    expect(await begun([at('read', '/'), at('write', '/a')])).toEqual([true, false]);
    expect(await begun([at('read', '/a/b'), at('write', '/')])).toEqual([true, false]);
    expect(await begun([at('write', '/a'), at('write', '/ab')])).toEqual([true, true]);
    expect(await begun([at('read', '/a'), at('read', '/a')])).toEqual([true, true]);
    expect(await begun([at('write', '/a', '/b'), at('read', '/b/c'), at('read', '/c')])).toEqual([true, false, true]);
  });

  it('makes a barrier wait for all, and all wait for a barrier', async () => {
    const parallel: Concurrency = { mode: 'parallel' };
    const barrier: Concurrency = { mode: 'barrier' };
    expect(await begun([parallel, parallel, barrier, parallel])).toEqual([true, true, false, false]);
    expect(await begun([barrier, at('read', '/a'), barrier])).toEqual([true, false, false]);
  });

  verifies('TOOLX-3', 'delays a call exactly while a conflicting earlier call runs', async () => {
    const path = fc.constantFrom('/', '/a', '/a/b', '/a/b/c', '/ab', '/d');
    const scope = fc.record({ access: fc.constantFrom('read' as const, 'write' as const), path });
    const touches = (a: string, b: string) =>
      a === b || `${a}/`.startsWith(b === '/' ? b : `${b}/`) || `${b}/`.startsWith(a === '/' ? a : `${a}/`);
    await fc.assert(
      fc.asyncProperty(fc.array(scope, { maxLength: 8 }), async (scopes) => {
        const expected = scopes.map((later, index) =>
          scopes
            .slice(0, index)
            .every(
              (earlier) => (earlier.access === 'read' && later.access === 'read') || !touches(earlier.path, later.path),
            ),
        );
        expect(await begun(scopes.map((one) => at(one.access, one.path)))).toEqual(expected);
      }),
    );
  });
});
