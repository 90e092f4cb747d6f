import { describe, expect, it } from 'vitest';
import { imageFile } from '../../../../test/support/sample-files.ts';
import type { CliIo } from '../cli-io.ts';
import { createPendingAttachments, resolveTypedPath } from './pending-attachments.ts';

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
    expect(resolveTypedPath(typed, io)).toBe(path);
  });
});

describe('pending attachments', () => {
  it('are sent with one message, and stay attached if it was not sent', async () => {
    const files = createPendingAttachments(io, [imageFile()]);
    expect(files.describeInitial()).toContain('cat.png (1 kB)');
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
    const files = createPendingAttachments(io, [imageFile()]);
    expect(await files.runImageCommand('')).toContain('cat.png');
    expect(await files.runImageCommand('none')).toContain('No files are attached');
    await expect(files.runImageCommand('nowhere.png')).rejects.toThrow('Cannot attach /work/nowhere.png');
  });
});
