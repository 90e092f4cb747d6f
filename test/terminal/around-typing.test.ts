import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isBusy, isReady } from '../support/pty/chat-state.ts';
import { processTree } from '../support/pty/process-tree.ts';
import { PNG } from '../support/sample-files.ts';

const cli = useCliFixture();
const shows = (text: string) => (screen: string[]) => screen.some((line) => line.includes(text));

describe('input other than messages', () => {
  verifies('SURF-1', '!command runs in the shell and is sent with the next message; !! is not sent', async () => {
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('!printf "one\\ntwo\\n"; exit 3');
    await chat.until((screen) => isReady(screen) && screen.includes('(exit code 3)'));
    expect(chat.screen()).toEqual(expect.arrayContaining(['one', 'two']));
    chat.send('!!echo only mine');
    await chat.until((screen) => isReady(screen) && screen.includes('only mine'));
    expect(cli.server.requests).toHaveLength(0);
    cli.server.setScript(() => ({ text: 'Numbers.' }));
    await chat.ask('what was that?', 'Numbers.');
    const { lastUserText } = await cli.server.nextRequest();
    expect(lastUserText).toContain('one\ntwo');
    expect(lastUserText).toContain('(exit code 3)');
    expect(lastUserText).not.toContain('only mine');
    expect(lastUserText).toMatch(/what was that\?$/);
  });

  verifies(['SURF-1', 'LOOP-7'], 'Esc stops a running command', fullDoseOnly, async () => {
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.send('!sleep 1000');
    await chat.until(isBusy);
    chat.press('esc');
    await chat.until((screen) => isReady(screen) && screen.includes('(stopped)'));
    expect(processTree(chat.pid()).filter(({ command }) => command.includes('sleep 1000'))).toEqual([]);
  });

  verifies('SURF-1', "text can be edited in the user's editor", fullDoseOnly, async () => {
    await cli.configure();
    const editor = join(cli.home.userHome, 'editor.sh');
    // The editor reads a line in normal terminal mode, which works only if the chat has released the terminal.
    await writeFile(editor, '#!/bin/sh\nprintf "name: "\nread name\nprintf "\\nand %s" "$name" >> "$1"\n');
    await chmod(editor, 0o700);
    const chat = await openChat(cli, { env: { NO_COLOR: '1', EDITOR: editor } });
    await chat.ready();
    chat.type('hello you');
    await chat.until(shows('❯ hello you'));
    chat.press('ctrl-g');
    await chat.until(shows('name:'));
    chat.type('me\r');
    await chat.until((screen) => screen.some((line) => line.trim() === 'and me'));
    chat.press('enter');
    expect((await cli.server.nextRequest()).lastUserText).toBe('hello you\nand me');
    await chat.ready();
    expect(await chat.leave()).toBe(0);
  });

  verifies('SURF-1', 'Ctrl-Z returns to the shell, and fg restores the chat with its input', async () => {
    await cli.configure();
    const chat = await openChat(cli, { script: 'set -m; "$@"; echo; stty -a; echo "in the shell"; read line; fg' });
    await chat.ready();
    chat.type('half a thought');
    await chat.until((screen) => screen.includes('❯ half a thought'));
    chat.press('ctrl-z');
    await chat.until('in the shell');
    expect(chat.scrollback().join('\n')).toMatch(/(?<!-)icanon[^]*(?<!-)echo\b/);
    expect(chat.emulator.terminal.modes.bracketedPasteMode).toBe(false);
    chat.type('\r');
    await chat.until((screen) => screen.findLast((line) => line !== '') === '❯ half a thought');
    chat.send(' to its end');
    expect((await cli.server.nextRequest()).lastUserText).toBe('half a thought to its end');
    await chat.ready();
    expect(await chat.leave()).toBe(0);
  });

  verifies('SURF-1', 'Ctrl-Z is ignored without a shell that could resume the chat', fullDoseOnly, async () => {
    await cli.configure();
    const chat = await openChat(cli);
    await chat.ready();
    chat.press('ctrl-z');
    // Wait until the chat has enabled its key modes (bracketed paste) for the second time.
    await chat.until(() => chat.bytes().split('\u001b[?2004h').length === 3);
    await chat.ready();
    chat.type('still here');
    await chat.until(shows('❯ still here'));
    chat.press('ctrl-c');
    await chat.ready();
    expect(await chat.leave()).toBe(0);
  });

  verifies(
    'SURF-1',
    'the path of an image dropped on the window is attached to the next message',
    fullDoseOnly,
    async () => {
      await cli.configure('model_overrides:\n  test-model: { vision: true }\n');
      await writeFile(join(cli.home.workspace, 'cat.png'), PNG);
      const chat = await openChat(cli);
      await chat.ready();
      chat.paste(join(cli.home.workspace, 'cat.png'));
      await chat.until((_screen, scrollback) => scrollback().some((line) => /cat\.png/.test(line)));
      chat.send('what is it?');
      const { messages, lastUserText } = await cli.server.nextRequest();
      expect(lastUserText).toContain('what is it?');
      expect(messages.at(-1)?.attachments).toHaveLength(1);
    },
  );
});
