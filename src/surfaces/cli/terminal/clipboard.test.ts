import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { clipboardCommands, clipboardImageCommands } from '../../../util/operating-system/clipboard-commands.ts';
import { copyText, readClipboardImage } from './clipboard.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-copy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function copy(text: string, env: Record<string, string> = {}) {
  const stdout = createTextSink();
  const io = { stdin: new PassThrough(), inputKind: 'terminal' as const, stdout, stderr: stdout };
  const ways = await copyText(text, { ...io, env, workingDirectory: folder });
  return { ways, escaped: stdout.text };
}

/** Replaces a clipboard program and saves its input to a file. */
async function addProgram(name: string, code = 0): Promise<Record<string, string>> {
  await writeFile(join(folder, name), `#!/bin/sh\n/bin/cat > "${folder}/copied"\nexit ${code}\n`);
  await chmod(join(folder, name), 0o755);
  return { PATH: folder };
}

describe('copyText', () => {
  it('sends the text to the terminal as an OSC 52 sequence', async () => {
    expect(await copy('Größer.')).toEqual({
      ways: ['terminal'],
      escaped: `\u001b]52;c;${Buffer.from('Größer.').toString('base64')}\u0007`,
    });
  });

  it.skipIf(process.platform !== 'linux')('also passes the text to the clipboard program of the desktop', async () => {
    const env = { ...(await addProgram('wl-copy')), WAYLAND_DISPLAY: 'wayland-0' };
    expect((await copy('Größer.', env)).ways).toEqual(['wl-copy', 'terminal']);
    expect(await readFile(join(folder, 'copied'), 'utf8')).toBe('Größer.');
  });

  it.skipIf(process.platform !== 'linux')('ignores a clipboard program that is missing or fails', async () => {
    const env = { ...(await addProgram('xclip', 1)), WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' };
    expect((await copy('x', env)).ways).toEqual(['terminal']);
  });

  it('does not send the terminal a text that exceeds its limit', async () => {
    expect(await copy('x'.repeat(100_000))).toEqual({ ways: [], escaped: '' });
  });
});

describe('clipboardsFor', () => {
  it('selects the clipboard programs of each desktop, and none over SSH', () => {
    const names = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
      clipboardCommands(env, platform).map(([name]) => name);
    expect(names({}, 'darwin')).toEqual(['pbcopy']);
    expect(names({}, 'win32')).toEqual(['clip.exe']);
    expect(names({ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toEqual(['wl-copy', 'xclip', 'xsel']);
    expect(names({ DISPLAY: ':0', SSH_CONNECTION: 'a b' })).toEqual([]);
    expect(names({})).toEqual([]);
  });
});

describe('readClipboardImage', () => {
  /** Replaces a program that prints the clipboard. */
  async function printing(name: string, script: string): Promise<Record<string, string>> {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
    return { PATH: folder, WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' };
  }

  it.skipIf(process.platform !== 'linux')('reads the image with the first program that has one', async () => {
    await printing('wl-paste', 'exit 1');
    const env = await printing('xclip', 'printf "\\211PNG %s" "$4"');
    expect(Buffer.from((await readClipboardImage(env)) ?? '').toString('latin1')).toBe('\u0089PNG image/png');
  });

  it.skipIf(process.platform !== 'linux')('returns nothing without an image or a program', async () => {
    expect(await readClipboardImage(await printing('wl-paste', 'exit 1'))).toBeUndefined();
    expect(await readClipboardImage({ PATH: folder })).toBeUndefined();
  });

  it('selects the programs of each desktop, and none over SSH', () => {
    const names = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
      clipboardImageCommands(env, platform).map(({ command: [name], encoding }) => `${name} ${encoding}`);
    expect(names({}, 'darwin')).toEqual(['osascript hex']);
    expect(names({ WSL_DISTRO_NAME: 'Debian' })).toEqual(['powershell.exe base64']);
    expect(names({ WAYLAND_DISPLAY: 'w', DISPLAY: ':0' })).toEqual(['wl-paste binary', 'xclip binary']);
    expect(names({ DISPLAY: ':0', SSH_TTY: '/dev/pts/1' })).toEqual([]);
  });
});
