import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { clipboardsFor, copyText } from './clipboard.ts';

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

/** A program of the name of a clipboard's, which keeps what it is given. */
async function addProgram(name: string, code = 0): Promise<Record<string, string>> {
  await writeFile(join(folder, name), `#!/bin/sh\n/bin/cat > "${folder}/copied"\nexit ${code}\n`);
  await chmod(join(folder, name), 0o755);
  return { PATH: folder };
}

describe('copyText', () => {
  it('hands the text to the terminal', async () => {
    expect(await copy('Größer.')).toEqual({
      ways: ['terminal'],
      escaped: `\u001b]52;c;${Buffer.from('Größer.').toString('base64')}\u0007`,
    });
  });

  it.skipIf(process.platform !== 'linux')('hands it to the program of the desktop as well', async () => {
    const env = { ...(await addProgram('wl-copy')), WAYLAND_DISPLAY: 'wayland-0' };
    expect((await copy('Größer.', env)).ways).toEqual(['wl-copy', 'terminal']);
    expect(await readFile(join(folder, 'copied'), 'utf8')).toBe('Größer.');
  });

  it.skipIf(process.platform !== 'linux')('goes on without a program that is missing or fails', async () => {
    const env = { ...(await addProgram('xclip', 1)), WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' };
    expect((await copy('x', env)).ways).toEqual(['terminal']);
  });

  it('knows no way for a text that is too long for a terminal', async () => {
    expect(await copy('x'.repeat(100_000))).toEqual({ ways: [], escaped: '' });
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
