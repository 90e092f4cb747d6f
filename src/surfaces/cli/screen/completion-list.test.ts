import { describe, expect, it } from 'vitest';
import { createTheme } from '../render/index.ts';
import { createInput } from './input.ts';
import { createCompletionProvider } from './completion.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';

const [CTRL_U, CTRL_W, ENTER, BACKSPACE, TAB, DOWN] = ['\u0015', '\u0017', '\r', '\u007f', '\t', '\u001b[B'];
const theme = createTheme({ colours: 'none' });

/** An input that completes `@` and letters with one file. */
function open() {
  const sent: string[] = [];
  const input = createInput({
    theme: () => theme,
    rows: () => 24,
    onChange: () => undefined,
    onSubmit: (text) => void sent.push(text),
  });
  input.setCompletion({
    getSuggestions: async (lines, line, col) => {
      const prefix = /@\w*$/.exec(lines[line]?.slice(0, col) ?? '')?.[0];
      return prefix === undefined ? null : { prefix, items: [{ value: '@about.md', label: 'about.md' }] };
    },
    applyCompletion: (lines, cursorLine, cursorCol, { value }, prefix) => {
      const text = (lines[cursorLine] ?? '').slice(0, cursorCol - prefix.length) + value;
      return { lines: lines.with(cursorLine, text), cursorLine, cursorCol: text.length };
    },
  });
  const type = (keys: string) => {
    for (const key of keys) input.handleKey(key);
  };
  const offered = () => waitUntil(() => expect(input.isCompleting()).toBe(true));
  return { input, sent, type, offered };
}

describe('the completion list', () => {
  it.each([
    ['the line', CTRL_U, ''],
    ['the word', CTRL_W, 'see @'],
  ])('closes with a key that deletes %s', async (_, key, left) => {
    const { input, sent, type, offered } = open();
    type('see @ab');
    await offered();
    type(key);
    expect([input.isCompleting(), input.text()]).toEqual([false, left]);
    type(`x${ENTER}`);
    expect(sent).toEqual([`${left}x`]);
  });

  it('does not consume an Enter that is typed before the list is updated', async () => {
    const { sent, type, offered } = open();
    type('see @ab');
    await offered();
    type(`out.md now${ENTER}`);
    expect(sent).toEqual(['see @about.md now']);
  });

  it('accepts a selection while it is current, and stays open after letters and Backspace', async () => {
    const { input, sent, type, offered } = open();
    type('see @ab');
    await offered();
    type(`x${BACKSPACE}`);
    expect(input.isCompleting()).toBe(true);
    type(ENTER);
    expect([input.text(), sent]).toEqual(['see @about.md', []]);
  });

  /** An input that completes slash commands and skills as the chat does. */
  function openWithCommands() {
    const opened = open();
    const commands = ['compress', 'queue', 'quit', 'commit-and-pull-request'].map((value) => ({ value }));
    opened.input.setCompletion(
      createCompletionProvider({
        workingDirectory: '/nowhere',
        completions: { commands: async () => commands, completeArgument: async () => [] },
      }),
    );
    return opened;
  }

  it.each(['/cost', '/q', '/com', '/compress'])('sends %s as typed with Enter', async (typed) => {
    const { sent, type, offered } = openWithCommands();
    type(typed);
    await offered();
    type(ENTER);
    expect(sent).toEqual([typed]);
  });

  it('inserts a fuzzy match with Tab, and sends an item that was selected with the arrow keys', async () => {
    const { input, sent, type, offered } = openWithCommands();
    type('/cmpull');
    await offered();
    type(TAB);
    expect([input.text(), sent]).toEqual(['/commit-and-pull-request ', []]);
    type(`${CTRL_U}/q`);
    await offered();
    input.handleKey(DOWN);
    type(ENTER);
    expect(sent).toEqual(['/quit']);
  });
});
