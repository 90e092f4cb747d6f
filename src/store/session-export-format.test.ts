import { describe, expect, it } from 'vitest';
import { HermesError, NO_USAGE } from '../base/index.ts';
import { parseSessionExport } from './session-export-format.ts';

const SESSION = { id: 'one', source: 'cli', startedAt: 1 };
const GOOD = { format: 'hermes-session', version: 1, session: SESSION };

describe('parseSessionExport', () => {
  it('fills in what may be left out', () => {
    expect(parseSessionExport(GOOD)).toEqual({
      ...GOOD,
      session: { ...SESSION, usage: NO_USAGE },
      ...{ messages: [], turns: [], calls: [], blobs: [] },
    });
  });

  for (const [value, reason] of [
    [null, 'not marked'],
    [[], 'not marked'],
    [{ format: 'other' }, 'not marked'],
    [{ ...GOOD, version: { of: 2 } }, 'version {"of":2}'],
    [{ ...GOOD, session: 'one' }, 'no "session"'],
    [{ ...GOOD, session: { ...SESSION, id: '' } }, '"session.id"'],
    [{ ...GOOD, session: { ...SESSION, startedAt: 'now' } }, '"session.startedAt"'],
    [{ ...GOOD, messages: {} }, '"messages" is not a list'],
    [{ ...GOOD, turns: [1] }, '"turns[0]"'],
    [{ ...GOOD, messages: [{ message: { role: 'user', content: 'x' } }] }, 'no timestamp'],
    [{ ...GOOD, messages: [{ timestamp: 1 }] }, '"messages[0].message"'],
    [{ ...GOOD, messages: [{ timestamp: 1, message: { role: 'system', content: 'x' } }] }, '"messages[0].message"'],
    [{ ...GOOD, messages: [{ timestamp: 1, message: { role: 'user', content: 7 } }] }, '"messages[0].message"'],
  ] as const) {
    it(`says that it is ${reason}`, () => {
      expect(() => parseSessionExport(value)).toThrow(HermesError);
      expect(() => parseSessionExport(value)).toThrow(reason);
    });
  }
});
