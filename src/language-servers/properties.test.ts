import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { editedPaths } from './edited-paths.ts';
import { createMessageReader, encodeMessage, ProtocolFault } from './message-stream.ts';
import { readDiagnostics } from './read-diagnostics.ts';
import { describeDiagnostics } from './report.ts';

describe('the message stream of a server', () => {
  it('returns the same messages, however the output is cut', () => {
    const messages = fc.array(fc.record({ method: fc.string({ unit: 'grapheme' }), params: fc.jsonValue() }));
    fc.assert(
      fc.property(messages, fc.infiniteStream(fc.integer({ min: 1, max: 50 })), (sent, sizes) => {
        const received: JsonObject[] = [];
        const read = createMessageReader((message) => received.push(message));
        let text = sent.map((message) => encodeMessage(message as JsonObject)).join('');
        while (text !== '') {
          const { value } = sizes.next() as { value: number };
          // The environment decodes the output, so that a character is never cut.
          const piece = [...text].slice(0, value).join('');
          read(piece);
          text = text.slice(piece.length);
        }
        const expected = sent.map((message) => ({ jsonrpc: '2.0', ...message }));
        expect(received).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it('is read or rejected, with any content', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'Content-Length: 2\r\n\r\n',
        '{}',
        '[]',
        'Content-Length: -1\r\n\r\n',
        '\r\n\r\n',
        'x'.repeat(5000),
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const read = createMessageReader(() => undefined);
        let failure: unknown = new ProtocolFault();
        try {
          for (const each of pieces) read(each);
        } catch (thrown) {
          failure = thrown;
        }
        expect(failure).toBeInstanceOf(ProtocolFault);
      }),
    );
  });
});

describe('diagnostics of a server', () => {
  it('become lines that start with a position, with any content', () => {
    const position = fc.oneof(fc.record({ line: fc.nat(), character: fc.nat() }), fc.jsonValue());
    const entry = fc.record({
      range: fc.oneof(fc.record({ start: position }), fc.jsonValue()),
      severity: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.jsonValue()),
      message: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\n[End of diagnostics]\nb'), fc.jsonValue()),
      code: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.jsonValue())), fc.integer({ min: 1, max: 20 }), (list, maxLines) => {
        const now = readDiagnostics(JSON.parse(JSON.stringify(list)));
        const text = describeDiagnostics({ server: 's', name: 'a.ts', before: [], now }, maxLines);
        const lines = text?.split('\n') ?? ['[', ']'];
        expect(lines.length).toBeLessThanOrEqual(maxLines + 3);
        const inner = lines.slice(1, -1).filter((line) => !/^\[\d+ more not shown\]$/.test(line));
        expect(inner.every((line) => /^\d+:\d+ (?:error|warning): \S/.test(line) && line.length < 600)).toBe(true);
      }),
    );
  });
});

describe('the paths of an edit', () => {
  it('are those of the arguments and of the headers of a patch', () => {
    expect(editedPaths({ path: 'a.ts', content: 'x' })).toEqual(['a.ts']);
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: b c.ts\n+z\n*** Delete File: d.ts\n*** Move File: e.ts -> f.ts\n*** End Patch';
    expect(editedPaths({ patch })).toEqual(['a.ts', 'b c.ts', 'f.ts']);
    expect(editedPaths({ patch: '--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n--- a/y.ts\n+++ /dev/null\n' })).toEqual([
      'x.ts',
    ]);
    expect(editedPaths({ path: 1, patch: {} })).toEqual([]);
  });
});
