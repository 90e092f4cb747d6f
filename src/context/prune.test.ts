import fc from 'fast-check';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { attachmentOf, imageFile, pdfFile } from '../../test/support/sample-files.ts';
import { type Message, ownBlock } from '../base/index.ts';
import { cutLongResults, pruneMessages } from './prune.ts';

function exchange(id: string, args: string, output: string): Message[] {
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'terminal', arguments: args }] },
    { role: 'tool', toolCallId: id, toolName: 'terminal', content: output },
  ];
}

const LONG = 'line of output\n'.repeat(50);

verifies('CTX-5', 'replaces long old results with one line that describes the call', () => {
  const [, result] = pruneMessages(exchange('a', '{"command":"npm test"}', LONG));
  expect(result?.content).toContain('terminal {"command":"npm test"}');
  expect(result?.content).toContain(`${LONG.length} characters`);
  expect(result?.content.split('\n')).toHaveLength(1);
});

verifies('CTX-5', 'notes on older identical results that a later call returned the same', () => {
  const pruned = pruneMessages([...exchange('a', '{}', LONG), ...exchange('b', '{}', LONG)]);
  expect(pruned[1]?.content).toMatch(/omitted to save context; a later call returned the same result]$/);
  expect(pruned[3]?.content).toMatch(/omitted to save context]$/);
});

verifies('CTX-5', 'leaves pruned results unchanged and preserves user text in them', () => {
  const [call, result] = exchange('a', `{"command":"${'x'.repeat(200)}"}`, LONG) as [Message, Message];
  const steered = { ...result, content: LONG + ownBlock('steering').write('Not so fast.') };
  const once = pruneMessages([call, steered]);
  expect(once[1]?.content).toMatch(/omitted to save context\]\n\n\[Message from the user[^\n]*\nNot so fast\./);
  expect(once[1]?.content.length).toBeGreaterThan(200);
  expect(pruneMessages(once)).toEqual(once);
  const old = { ...result, content: `[${'x'.repeat(300)}: 9 characters in 1 line, left out to save room]` };
  expect(pruneMessages([call, old])[1]).toEqual(old);
  const inLines = pruneMessages(exchange('a', `{\n  "command": "${'x'.repeat(200)}"\n}`, LONG), [1, 2]);
  expect(inLines[1]?.content.length).toBeGreaterThan(200);
  expect(pruneMessages(inLines, [1, 2])).toEqual(inLines);
  const [, cut] = cutLongResults(
    [call, { ...result, content: `${LONG.repeat(20)}${ownBlock('steering').write('Stop.')}` }],
    500,
  );
  expect(cut?.content.endsWith(ownBlock('steering').write('Stop.'))).toBe(true);
  expect(cut?.content.length).toBeLessThan(700);
});

verifies(['CTX-5', 'CALL-12'], 'replaces old attachments with their name or description', () => {
  const attachments = [attachmentOf(imageFile()), attachmentOf(pdfFile(), { description: 'One page.' })];
  const line = '["cat.png": omitted to save context]\n\n["paper.pdf", description: One page.]';
  expect(pruneMessages([{ role: 'user', content: 'look', sentContent: 'look now', attachments }])).toEqual([
    { role: 'user', content: 'look', sentContent: `look now\n\n${line}` },
  ]);
  expect(pruneMessages([{ role: 'user', content: '', attachments }])).toEqual([
    { role: 'user', content: line, sentContent: line },
  ]);
});

verifies(['CTX-5', 'TOOL-11'], 'replaces the image of an old result with a line, however short its text is', () => {
  const [call, result] = exchange('a', '{"path":"cat.png"}', 'attached') as [Message, Message];
  const steered = `attached${ownBlock('steering').write('Look closely.')}`;
  const withImage: Message = { ...result, content: steered, attachments: [attachmentOf(imageFile())] } as Message;
  const [, pruned] = pruneMessages([call, withImage]);
  expect(pruned).not.toHaveProperty('attachments');
  expect(pruned?.content).toMatch(/^\[\w+ \{"path":"cat.png"\}: \d+ characters in \d+ lines and 1 image, omitted/);
  expect(pruned?.content).toContain('Look closely.');
  expect(pruneMessages([call, pruned as Message])[1]).toEqual(pruned);
});

verifies('CTX-5', 'handles very deeply nested arguments', () => {
  const [assistant] = pruneMessages(exchange('a', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'short'));
  const pruned = (assistant as { toolCalls: { arguments: string }[] }).toolCalls[0]?.arguments ?? '';
  // Older Node versions cannot serialise such a value, newer ones can.
  expect(pruned.length).toBeLessThan(500);
  expect(JSON.parse(pruned)).toBeTypeOf('object');
});

verifies('CTX-5', 'shortens long arguments to a JSON object with the same keys', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue(), { maxKeys: 6 }), (value) => {
      const text = JSON.stringify({ ...value, padding: 'x'.repeat(600) });
      const [assistant] = pruneMessages(exchange('a', text, 'short'));
      const [call] = (assistant as { toolCalls: { arguments: string }[] }).toolCalls;
      const parsed = JSON.parse(call?.arguments ?? '') as Record<string, unknown>;
      expect(Object.keys(parsed).sort()).toEqual(Object.keys(JSON.parse(text) as object).sort());
      expect(call?.arguments.length).toBeLessThan(text.length);
    }),
  );
});

verifies('CTX-6', 'keeps the start and the end of a long result, and splits no character', () => {
  const long = `first ${'𐀀'.repeat(50_000)} last`;
  const [, result] = cutLongResults(exchange('a', '{}', long), 4_000);
  expect(result?.content).toMatch(/^first (?:𐀀)+\n\[… \d+ characters omitted …\]\n(?:𐀀)+ last$/u);
  expect(result?.content.length).toBeLessThan(5_000);
});
