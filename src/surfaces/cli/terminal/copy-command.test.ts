import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import type { Message } from '../../../base/index.ts';
import { clipboardsFor, copyAnswer } from './copy-command.ts';

const messages: Message[] = [
  { role: 'user', content: 'first?' },
  { role: 'assistant', content: 'The first answer.' },
  { role: 'user', content: 'second?' },
  { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'terminal', arguments: '{}' }] },
  { role: 'tool', toolCallId: '1', toolName: 'terminal', content: 'x' },
  { role: 'assistant', content: 'Größer.\n' },
];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-copy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(argument: string, env: Record<string, string> = {}, history = messages) {
  const stdout = createTextSink();
  const io = { stdin: new PassThrough(), inputKind: 'terminal' as const, stdout, stderr: stdout };
  return copyAnswer(argument, history, { ...io, env, workingDirectory: folder }).then((said) => ({
    said,
    escaped: stdout.text,
  }));
}

/** A program of the name of a clipboard's, which keeps what it is given. */
async function addProgram(name: string, code = 0): Promise<Record<string, string>> {
  await writeFile(join(folder, name), `#!/bin/sh\n/bin/cat > "${folder}/copied"\nexit ${code}\n`);
  await chmod(join(folder, name), 0o755);
  return { PATH: folder };
}

describe('copyAnswer', () => {
  it('hands the last answer to the terminal, or one before it', async () => {
    expect(await run('')).toEqual({
      said: 'Copied 7 characters (terminal).\n',
      escaped: `\u001b]52;c;${Buffer.from('Größer.').toString('base64')}\u0007`,
    });
    expect((await run('2')).escaped).toContain(Buffer.from('The first answer.').toString('base64'));
  });

  it.skipIf(process.platform !== 'linux')('hands it to the program of the desktop as well', async () => {
    const env = { ...(await addProgram('wl-copy')), WAYLAND_DISPLAY: 'wayland-0' };
    expect((await run('', env)).said).toBe('Copied 7 characters (wl-copy, terminal).\n');
    expect(await readFile(join(folder, 'copied'), 'utf8')).toBe('Größer.');
  });

  it.skipIf(process.platform !== 'linux')('goes on without a program that is missing or fails', async () => {
    const env = { ...(await addProgram('xclip', 1)), WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' };
    expect((await run('', env)).said).toBe('Copied 7 characters (terminal).\n');
  });

  it('says where there is nothing to copy, or no way to', async () => {
    expect((await run('', {}, [])).said).toBe('There is no answer yet.\n');
    expect((await run('3')).said).toBe('There are not so many answers.\n');
    expect((await run('all')).said).toContain('/copy 2');
    const long: Message[] = [{ role: 'assistant', content: 'x'.repeat(100_000) }];
    expect(await run('', {}, long)).toMatchObject({ said: expect.stringContaining('no clipboard'), escaped: '' });
  });
});

describe('clipboardsFor', () => {
  it('knows the programs of each desktop, and none on a machine one is connected to', () => {
    const names = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
      clipboardsFor(env, platform).map(([name]) => name);
    expect(names({}, 'darwin')).toEqual(['pbcopy']);
    expect(names({}, 'win32')).toEqual(['clip.exe']);
    expect(names({ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toEqual(['wl-copy', 'xclip', 'xsel']);
    expect(names({ DISPLAY: ':0', SSH_CONNECTION: 'a b' })).toEqual([]);
    expect(names({})).toEqual([]);
  });
});
