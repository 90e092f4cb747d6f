import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HermesError } from '../../base/index.ts';
import { unifiedDiff } from '../../toolbox/patching/line-diff.ts';
import { createTemporaryHome } from '../../testing/index.ts';
import { describeChanges, describeToolCall } from './describe-tool-call.ts';
import { pathOf, readPrompt } from './prompt-content.ts';
import { runAcp } from './run-acp.ts';

/** Whether the blocks are a prompt that says something, or are refused with words for the user. */
function isPromptOrRefused(blocks: Parameters<typeof readPrompt>[0]): boolean {
  try {
    const { text, attachments } = readPrompt(blocks);
    return text !== '' || attachments.length > 0;
  } catch (thrown) {
    return thrown instanceof HermesError;
  }
}

const LINES = fc.array(fc.constantFrom('a', 'b', '@@ -1 +1 @@', '', '-x', '+y', 'ü 😀'), { maxLength: 30 });
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

describe('a diff', () => {
  it('has the old and the new text of each hunk, in order', () => {
    fc.assert(
      fc.property(LINES, LINES, (old, fresh) => {
        const [before, after] = [textOf(old), textOf(fresh)];
        const { added, removed, diff } = unifiedDiff(before, after, 400);
        const { content } = describeChanges([{ path: '/f', added, removed, diff }], '/');
        // Applies the hunks one after the other, each after the place of the one before it.
        let [rest, result] = [before, ''];
        for (const hunk of content) {
          if (hunk.type !== 'diff') throw new Error('not a diff');
          const at = rest.indexOf(hunk.oldText ?? '');
          expect(at).toBeGreaterThanOrEqual(0);
          result += rest.slice(0, at) + hunk.newText;
          rest = rest.slice(at + (hunk.oldText ?? '').length);
        }
        // An old text may also occur earlier, so only the size of the result is certain then.
        expect((result + rest).length).toBe(after.length);
      }),
    );
  });
});

describe('what comes from outside', () => {
  it('is described whatever the model wrote', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('read_file', 'patch', 'write_file', 'todo', 'terminal', 'mcp__x__y', ''),
        fc.oneof(fc.string(), fc.json()),
        (name, written) => {
          const { title, locations } = describeToolCall(name, written, '/work');
          expect(title.length).toBeLessThanOrEqual(200);
          for (const { path } of locations) expect(path.startsWith('/')).toBe(true);
        },
      ),
    );
  });

  it('is a prompt, or refused with a reason', () => {
    const uri = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.string().map((text) => `file://${text}`),
    );
    const block = fc.oneof(
      fc.record({ type: fc.constant('text' as const), text: fc.string() }),
      fc.record({ type: fc.constant('resource_link' as const), uri, name: fc.string() }),
      fc.record({ type: fc.constant('resource' as const), resource: fc.record({ uri, text: fc.string() }) }),
      fc.record({ type: fc.constant('resource' as const), resource: fc.record({ uri, blob: fc.base64String() }) }),
      fc.record({ type: fc.constant('image' as const), data: fc.base64String(), mimeType: fc.string(), uri }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 5 }), (blocks) => {
        expect(isPromptOrRefused(blocks)).toBe(true);
      }),
    );
    expect(pathOf('file:///a%20b.ts#L3')).toBe('/a b.ts#L3');
    expect(pathOf('https://example.org/x')).toBe('https://example.org/x');
  });

  it('never stops the server, and is answered only with messages', async () => {
    await using home = await createTemporaryHome();
    const [input, output] = [new PassThrough(), new PassThrough()];
    let written = '';
    output.on('data', (bytes: Buffer) => void (written += bytes.toString()));
    const ended = runAcp({
      input,
      output,
      env: { HERMES_HOME: home.path, HOME: home.userHome },
      workingDirectory: home.workspace,
      version: '1',
      signal: new AbortController().signal,
      onOpened: () => undefined,
    });
    const line = fc.oneof(
      fc.string().map((text) => text.replaceAll('\n', ' ')),
      fc.json(),
      fc
        .record({ id: fc.oneof(fc.string(), fc.integer()), method: fc.string(), params: fc.jsonValue() })
        .map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })),
      fc
        .constantFrom('new', 'load', 'prompt', 'cancel', 'set_mode', 'fork', 'set_title', 'delete')
        .map((method) =>
          JSON.stringify({ jsonrpc: '2.0', id: 7, method: `session/${method}`, params: { sessionId: 1 } }),
        ),
    );
    const lines = fc.sample(line, 100);
    input.write(`${lines.join('\n')}\n`);
    input.write('{"jsonrpc":"2.0","id":"last","method":"initialize","params":{"protocolVersion":1}}\n');
    await expect.poll(() => written.includes('"id":"last"')).toBe(true);
    input.end();
    await ended;
    for (const answer of written.trim().split('\n')) expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0' });
  });
});
