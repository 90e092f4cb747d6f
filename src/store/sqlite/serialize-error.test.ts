import { describe, expect, it } from 'vitest';
import { ConfigurationError, HermesError } from '../../base/index.ts';
import { serializeError, deserializeError } from './serialize-error.ts';

/** A round trip through structuredClone, which messages between threads use. */
const carry = (thrown: unknown) => deserializeError(structuredClone(serializeError(thrown)));

describe('an error that is passed between threads', () => {
  it('keeps class, message, hint and the code of its cause', () => {
    const cause = Object.assign(new Error('disk full'), { errcode: 13 });
    for (const Kind of [HermesError, ConfigurationError]) {
      const carried = carry(new Kind('It cannot grow.', { hint: 'Make room.', cause }));
      expect(carried).toBeInstanceOf(Kind);
      expect(carried.constructor).toBe(Kind);
      expect(carried).toMatchObject({ name: Kind.name, message: 'It cannot grow.', hint: 'Make room.' });
      expect(carried.cause).toMatchObject({ message: 'disk full', errcode: 13 });
    }
  });

  it('stays an internal error, and shows where it was thrown', () => {
    const fault = new TypeError('x is not a function');
    const carried = carry(fault);
    expect(carried).not.toBeInstanceOf(HermesError);
    expect(carried).toMatchObject({ name: 'TypeError', message: 'x is not a function', stack: fault.stack });
    expect(carry('only words').message).toBe('only words');
  });

  it('does not follow cyclic causes', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(carry(first).cause).toMatchObject({ message: 'second' });
  });
});
