import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openChat } from '../support/chat.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { isReady } from '../support/pty/chat-state.ts';
import { PNG } from '../support/sample-files.ts';

const cli = useCliFixture();
const has = (text: string) => (screen: readonly string[]) => screen.some((line) => line.includes(text));

it.skipIf(process.platform !== 'linux')('Ctrl-V attaches the image in the clipboard', async () => {
  await cli.configure();
  cli.server.setScript(() => ({ text: 'A small picture.' }));
  const folder = join(cli.home.path, 'programs');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'image'), PNG);
  await writeFile(join(folder, 'wl-paste'), `#!/bin/sh\ncat "${folder}/image"\n`);
  await chmod(join(folder, 'wl-paste'), 0o755);
  const env = { NO_COLOR: '1', WAYLAND_DISPLAY: 'none', PATH: `${folder}:${process.env['PATH']}` };
  const chat = await openChat(cli, { env });
  await chat.ready();
  chat.type('what is this');
  chat.type('\u0016');
  await chat.until(has('Attached to the next message: clipboard.png'));
  expect(chat.typed()).toBe('what is this');
  chat.press('enter');
  await chat.until((screen) => isReady(screen) && has('A small picture.')(screen));
  expect(JSON.stringify(cli.server.requests.at(-1)?.body)).toContain(Buffer.from(PNG).toString('base64'));
  expect(await chat.leave()).toBe(0);
});

it('addresses can be clicked in a terminal that supports it', async () => {
  await cli.configure();
  cli.server.setScript(() => ({ text: 'See [the docs](https://example.com/a b) or https://example.org/x.' }));
  const link = '\u001b]8;;https://example.org/x\u001b\\';
  for (const [env, isSupported] of [
    [{ TERM_PROGRAM: 'WezTerm' }, true],
    [{}, false],
  ] as const) {
    const chat = await openChat(cli, { env });
    await chat.ready();
    await chat.ask('where', 'https://example.org/x');
    expect(chat.bytes().includes(link)).toBe(isSupported);
    expect(await chat.leave()).toBe(0);
  }
});
