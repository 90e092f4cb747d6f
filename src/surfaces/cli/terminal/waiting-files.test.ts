import { describe, expect, it } from 'vitest';
import { imageFile } from '../../../../test/support/sample-files.ts';
import type { CliIo } from '../cli-io.ts';
import { createWaitingFiles, pathIn } from './waiting-files.ts';

const io = { workingDirectory: '/work', env: { HOME: '/home/me' } } as unknown as CliIo;

describe('resolving a typed or dropped path', () => {
  it.each([
    ['a.png', '/work/a.png'],
    ['/tmp/a b.png', '/tmp/a b.png'],
    ['"/tmp/a b.png"', '/tmp/a b.png'],
    ["'/tmp/it is.png'", '/tmp/it is.png'],
    ['/tmp/a\\ b\\(1\\).png', '/tmp/a b(1).png'],
    ['~/a.png', '/home/me/a.png'],
    ['~other/a.png', '/work/~other/a.png'],
    ['file:///tmp/a%20b.png', '/tmp/a b.png'],
  ])('%s', (typed, path) => {
    expect(pathIn(typed, io)).toBe(path);
  });
});

describe('pending attachments', () => {
  it('are sent with one message, and stay attached if it was not sent', async () => {
    const files = createWaitingFiles(io, [imageFile()]);
    expect(files.describeGiven()).toContain('cat.png (1 kB)');
    const sent: number[] = [];
    const send = <Result>(result: Result) =>
      files.sendWith((given) => Promise.resolve(void sent.push(given.length)).then(() => result));
    expect(await send(undefined)).toBeUndefined();
    await expect(files.sendWith(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await send('done')).toBe('done');
    await send('done');
    expect(sent).toEqual([1, 1, 0]);
  });

  it('are removed on request', async () => {
    const files = createWaitingFiles(io, [imageFile()]);
    expect(await files.command('')).toContain('cat.png');
    expect(await files.command('none')).toContain('No files are attached');
    await expect(files.command('nowhere.png')).rejects.toThrow('Cannot attach /work/nowhere.png');
  });
});
