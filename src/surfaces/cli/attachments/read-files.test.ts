import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { PDF, PNG } from '../../../../test/support/sample-files.ts';
import { ConfigurationError } from '../../../base/index.ts';
import { detectFileType } from '../../../util/index.ts';
import { readFiles } from './read-files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-files-'));
  const files: Record<string, string | Uint8Array> = {
    'cat.png': PNG,
    'really a png.pdf': PNG,
    'paper.txt': PDF,
    'photo.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    'anim.gif': 'GIF89a',
    'w.webp': 'RIFF\0\0\0\0WEBPVP8 ',
    'sound.wav': 'RIFF\0\0\0\0WAVEfmt ',
    'phone.heic': '\0\0\0\x18ftypheic',
    'drawing.svg': '<svg xmlns="…">',
    'notes.png': 'just text',
    empty: '',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await mkdir(join(folder, 'sub'));
  await symlink(join(folder, 'cat.png'), join(folder, 'link'));
  await writeFile(join(folder, 'huge.png'), PNG);
  await truncate(join(folder, 'huge.png'), 20_000_001);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('files to attach', () => {
  verifies('CALL-12', 'detects the type from the content, not from the name', async () => {
    const names = ['cat.png', 'really a png.pdf', 'paper.txt', 'photo.jpg', 'anim.gif', 'w.webp', 'link'];
    const files = await readFiles(names, folder);
    expect(files.map(({ name }) => name)).toEqual(names);
    expect(files.map(({ kind, mediaType }) => `${kind} ${mediaType}`)).toEqual([
      'image image/png',
      'image image/png',
      'document application/pdf',
      'image image/jpeg',
      'image image/gif',
      'image image/webp',
      'image image/png',
    ]);
    expect(Buffer.from(files[0]?.bytes ?? []).equals(PNG)).toBe(true);
  });

  it.each([
    ['nowhere.png', 'no such file'],
    ['cat.png/x', 'no such file'],
    ['sub', 'it is a directory'],
    ['pipe', 'it is not a regular file'],
    ['/dev/null', 'it is not a regular file'],
    ['empty', 'it is empty'],
    ['huge.png', 'it is larger than 20.0 MB'],
    ['notes.png', 'its content is neither an image nor a PDF file'],
    ['sound.wav', 'its content is neither an image nor a PDF file'],
    ['phone.heic', 'it is a HEIC image'],
    ['drawing.svg', 'it is an SVG drawing'],
  ])('%s: %s', async (path, reason) => {
    const failure = await readFiles(['cat.png', path], folder).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect((failure as ConfigurationError).message).toContain(`Cannot attach ${resolve(folder, path)}: ${reason}.`);
    expect((failure as ConfigurationError).hint).toMatch(/\.$/);
  });

  it.skipIf(process.getuid?.() === 0)('reports a file without read permission', async () => {
    await chmod(join(folder, 'anim.gif'), 0);
    await expect(readFiles(['anim.gif'], folder)).rejects.toThrow('permission denied');
    await chmod(join(folder, 'anim.gif'), 0o600);
  });

  it('rejects all files if there are too many', async () => {
    await expect(
      readFiles(
        Array.from({ length: 21 }, () => 'cat.png'),
        folder,
      ),
    ).rejects.toThrow(ConfigurationError);
  });

  it('detects a supported type or none, for any bytes', () => {
    const head = fc.constantFrom('', 'RIFF', 'GIF8', '%PDF-', '\x89PNG', '\xff\xd8');
    fc.assert(
      fc.property(head, fc.uint8Array({ maxLength: 40 }), (start, rest) => {
        const type = detectFileType(Buffer.concat([Buffer.from(start, 'latin1'), rest]));
        expect(type?.mediaType ?? 'image/png').toMatch(/^(image\/(png|jpeg|gif|webp)|application\/pdf)$/);
      }),
    );
  });
});
