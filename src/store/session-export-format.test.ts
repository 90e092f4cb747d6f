import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HermesError, NO_USAGE } from '../base/index.ts';
import { openForTest, temporaryFile } from './sqlite/fixtures.ts';
import { parseSessionExport } from './session-export-format.ts';

const SESSION = { id: 'one', source: 'cli', startedAt: 1 };
const GOOD = { format: 'hermes-session', version: 1, session: SESSION };

describe('parseSessionExport', () => {
  it('fills in optional fields', () => {
    expect(parseSessionExport(GOOD)).toEqual({
      ...GOOD,
      session: { ...SESSION, usage: NO_USAGE },
      messages: [],
      turns: [],
      calls: [],
      blobs: [],
    });
  });

  for (const [value, reason] of [
    [null, 'format is not'],
    [[], 'format is not'],
    [{ format: 'other' }, 'format is not'],
    [{ ...GOOD, version: { of: 2 } }, 'version {"of":2}'],
    [{ ...GOOD, session: 'one' }, '"session" is missing'],
    [{ ...GOOD, session: { ...SESSION, id: '' } }, '"session.id"'],
    [{ ...GOOD, session: { ...SESSION, id: 'x\u001b[31m' } }, '"session.id"'],
    [{ ...GOOD, session: { ...SESSION, startedAt: 'now' } }, '"session.startedAt"'],
    [{ ...GOOD, session: { ...SESSION, title: 7 } }, '"session.title"'],
    [{ ...GOOD, session: { ...SESSION, usage: { input: 'x' } } }, '"session.usage.input"'],
    [{ ...GOOD, messages: {} }, '"messages" is'],
    [{ ...GOOD, turns: [1] }, '"turns[0]"'],
    [{ ...GOOD, turns: [{}] }, '"turns[0].taskId"'],
    [{ ...GOOD, calls: [{}] }, '"calls[0].taskId"'],
    [{ ...GOOD, blobs: [{ hash: 'x', mediaType: 'y' }] }, '"blobs[0].base64"'],
    [{ ...GOOD, messages: [{ message: { role: 'user', content: 'x' } }] }, '"messages[0].timestamp"'],
    [{ ...GOOD, messages: [{ timestamp: 1 }] }, '"messages[0].message"'],
    [{ ...GOOD, messages: [{ timestamp: 1, copyOf: {} }] }, '"messages[0].'],
    [
      { ...GOOD, messages: [{ timestamp: 1, message: { role: 'system', content: 'x' } }] },
      '"messages[0].message.role"',
    ],
    [{ ...GOOD, messages: [{ timestamp: 1, message: { role: 'user', content: 7 } }] }, '"messages[0].message.content"'],
    [
      { ...GOOD, messages: [{ timestamp: 1, message: { role: 'assistant', content: '', toolCalls: [{ id: 5 }] } }] },
      '"messages[0].message.toolCalls[0].id"',
    ],
  ] as const) {
    it(`reports ${reason}`, () => {
      expect(() => parseSessionExport(value)).toThrow(HermesError);
      expect(() => parseSessionExport(value)).toThrow(reason);
    });
  }

  it('never accepts anything that a store cannot import', async () => {
    const store = await openForTest({ file: temporaryFile() });
    const anything = fc.jsonValue();
    const field = (model: fc.Arbitrary<unknown>) => fc.oneof({ weight: 20, arbitrary: model }, anything);
    const message = fc.record(
      {
        role: fc.constantFrom('user', 'assistant', 'tool'),
        content: field(fc.string()),
        toolCallId: field(fc.string()),
        toolName: field(fc.string()),
        reasoning: field(fc.string()),
        toolCalls: field(fc.array(field(fc.record({ id: fc.string(), name: fc.string(), arguments: fc.string() })))),
      },
      { requiredKeys: ['role', 'content'] },
    );
    const record = fc.record({
      format: fc.constant('hermes-session'),
      version: fc.constant(1),
      session: fc.record(
        {
          source: field(fc.constant('cli')),
          startedAt: field(fc.nat()),
          title: field(fc.string({ maxLength: 200 })),
          cost: field(fc.constant({ usd: 1, status: 'actual' })),
        },
        { requiredKeys: ['source', 'startedAt'] },
      ),
      messages: field(fc.array(field(fc.record({ timestamp: field(fc.nat()), message })))),
      turns: field(fc.constant([])),
      calls: field(fc.constant([])),
      blobs: field(fc.constant([])),
    });
    let taken = 0;
    const take = async (value: { session: object }) => {
      const parsed = parseSessionExport({ ...value, session: { ...value.session, id: `s${taken}` } });
      expect(await store.importSession(parsed)).toMatchObject({ status: 'imported' });
      expect((await store.exportSession(parsed.session.id)).messages).toHaveLength(parsed.messages.length);
      taken += 1;
    };
    await fc.assert(
      fc.asyncProperty(record, async (value) => {
        const refusal = await take(value).catch(String);
        expect(refusal ?? 'Not an exported session').toContain('Not an exported session');
      }),
      // At least one example is valid.
      { numRuns: 200, examples: [[{ ...GOOD, messages: [], turns: [], calls: [], blobs: [] }]] as never },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
