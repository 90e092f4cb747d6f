import { link, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { PDF, PNG } from '../../../../test/support/sample-files.ts';
import type { Environment } from '../../../contracts/index.ts';
import { createLocalEnvironment } from '../../../environments/index.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import { writtenPaths } from './answer-files.ts';
import { createFileGate, type TurnFiles } from './file-gate.ts';
import { findMedia, removeTags } from './find-media.ts';
import { cleanFileName, createMediaCache } from './media-cache.ts';
import { detectMediaType } from './media-type.ts';
import { createTranscriber } from './transcribe.ts';

async function openHome() {
  const home = await createTemporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

describe('the media cache', () => {
  it('cleans any name: no path, no control characters, bounded length', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constantFrom(
        '../../etc/passwd',
        'C:\\x\\y.txt',
        '.',
        '..',
        '...',
        '',
        '/',
        'a/.ssh',
        '\u202egpj.exe',
        'x'.repeat(500) + '.pdf',
        '-rf',
        '~',
        '$(id).sh',
        'a\'b"c`d',
        '\ud800.txt',
      ),
    );
    fc.assert(
      fc.property(name, (given) => {
        const clean = cleanFileName(given);
        expect(clean).toMatch(/^[^/\\\p{Cc}\p{Cf}\s"'`<>:|?*$&;!(){}[\]#~^%]+$/u);
        expect(clean).not.toMatch(/^[.-]/);
        expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(100);
        expect(clean.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(cleanFileName('../../My report (1).pdf')).toBe('My_report_1_.pdf');
  });

  it('keeps the files of each chat apart and finds them again', async () => {
    const home = await openHome();
    const cache = createMediaCache(home);
    const path = await cache.save('a', { id: 'f1', kind: 'document', name: 'notes.txt', bytes: Buffer.from('x') });
    expect(path).toMatch(new RegExp(`^${join(home, 'cache/documents')}/[0-9a-f]{16}/doc_[0-9a-f]{16}_notes\\.txt$`));
    expect(cache.foldersOf('a')).toContain(dirname(path));
    expect(cache.foldersOf('b')).not.toContain(dirname(path));
    expect(await createMediaCache(home).find('a', 'f1')).toEqual({ path, bytes: Buffer.from('x') });
    expect(await cache.find('b', 'f1')).toBeUndefined();
    expect(await cache.find('a', 'f2')).toBeUndefined();
  });

  it('uses the older folders of the original if they exist', async () => {
    const home = await openHome();
    await mkdir(join(home, 'image_cache'));
    const path = await createMediaCache(home).save('a', { id: '1', kind: 'image', name: 'a.png', bytes: PNG });
    expect(path.startsWith(join(home, 'image_cache/'))).toBe(true);
  });

  it('deletes files after a day and the oldest ones above the limit, but follows no link', async () => {
    const home = await openHome();
    const outside = join(home, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'kept.txt'), 'x');
    const cache = createMediaCache(home, { maxBytes: 25 });
    const now = Date.now();
    const save = async (id: string, ageHours: number) => {
      const path = await cache.save('a', { id, kind: 'document', name: id, bytes: Buffer.alloc(10) });
      await utimes(path, new Date(now), new Date(now - ageHours * 3_600_000));
      return path;
    };
    const [fresh, recent] = [await save('fresh', 0), await save('recent', 1)];
    await save('third', 2);
    await save('old', 25);
    await symlink(outside, join(dirname(fresh), 'link'));
    await utimes(join(outside, 'kept.txt'), 1, 1);
    await cache.prune(now);
    expect((await readdir(dirname(fresh))).sort()).toEqual(
      ['link', ...[fresh, recent].map((path) => path.slice(dirname(path).length + 1))].sort(),
    );
    expect(await readFile(join(outside, 'kept.txt'), 'utf8')).toBe('x');
    await cache.prune(now + 100 * 3_600_000);
    expect(await readdir(dirname(fresh))).toEqual(['link']);
  });
});

describe('the type of a file', () => {
  it.each([
    [PNG, 'image', 'image/png'],
    [PDF, 'document', 'application/pdf'],
    [Buffer.from('OggS\0\0'), 'audio', 'audio/ogg'],
    [Buffer.from('ID3\x04'), 'audio', 'audio/mpeg'],
    [Buffer.from([0xff, 0xfb, 0x90, 0]), 'audio', 'audio/mpeg'],
    [Buffer.from('RIFF\0\0\0\0WAVEfmt '), 'audio', 'audio/wav'],
    [Buffer.from('\0\0\0\x18ftypM4A '), 'audio', 'audio/mp4'],
    [Buffer.from('\0\0\0\x18ftypisom'), 'video', 'video/mp4'],
    [Buffer.from('just text\nÄ'), 'document', 'text/plain'],
    [Buffer.from('text about %PDF-1.7'), 'document', 'text/plain'],
    [Buffer.from([0, 1, 2, 0xff]), 'document', 'application/octet-stream'],
    [Buffer.from([0xc3, 0x28]), 'document', 'application/octet-stream'],
  ])('comes from its content (%#)', (bytes, kind, mediaType) => {
    expect(detectMediaType(bytes)).toMatchObject({ kind, mediaType });
  });

  it('is found for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(detectMediaType(bytes).mediaType).toMatch(/^\w+\//);
      }),
    );
  });
});

describe('the files that an answer names', () => {
  const paths = (answer: string) => findMedia(answer).files.map(({ path }) => path);

  verifies('GW-25', 'are found in the format of the original, outside code', () => {
    expect(paths('Here:\nMEDIA:/work/my chart.png\nDone')).toEqual(['/work/my chart.png']);
    expect(paths('See MEDIA:/a/b.png, and MEDIA:"/c d/e.pdf".')).toEqual(['/a/b.png', '/c d/e.pdf']);
    expect(paths('`MEDIA:/a.png`')).toEqual(['/a.png']);
    expect(paths('MEDIA: ~/x.txt')).toEqual(['~/x.txt']);
    expect(paths('```\nMEDIA:/a.png\n```\nA multiMEDIA:show')).toEqual([]);
    expect(findMedia('[[audio_as_voice]]\nMEDIA:/a.ogg')).toMatchObject({ asVoice: true, text: 'MEDIA:/a.ogg' });
    expect(findMedia('![a](https://x.org/a.png) ![b](file:///etc/passwd)').images).toEqual([
      { tag: '![a](https://x.org/a.png)', url: 'https://x.org/a.png' },
    ]);
  });

  it('are removed from the text, and everything else stays', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9 .$&]{0,20}$/);
    fc.assert(
      fc.property(word, word, (before, after) => {
        const answer = `x${before}\n\nMEDIA:/a$&b.png\n\ny${after}`;
        const { text, files } = findMedia(answer);
        expect(
          removeTags(
            text,
            files.map(({ tag }) => tag),
          ),
        ).toBe(`x${before}\n\ny${after}`.trim());
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void findMedia(`MEDIA:${text}`)));
  });
});

describe('the file gate', () => {
  async function openGate() {
    const home = await createTemporaryHome();
    onTestFinished(() => home.remove());
    const environment = createLocalEnvironment({ workingDirectory: home.workspace });
    onTestFinished(() => environment.close());
    const gate = createFileGate({ home: home.path, allowedFolders: [] });
    const at = (name: string) => join(home.workspace, name);
    const startedAt = Date.now() - 1000;
    const check = (path: string, turn: Partial<TurnFiles> = {}, maxBytes = 100) =>
      gate.check(
        path,
        { environment, ownFolders: [], startedAt, written: [], isMentioned: () => false, ...turn },
        maxBytes,
      );
    return { home, environment, at, check };
  }

  verifies('GW-25', 'reads the file that was checked, even if a link takes its place', async () => {
    const { home, environment, at, check } = await openGate();
    await home.write('auth.json', 'token');
    await mkdir(at('folder'));
    await mkdir(at('other'));
    for (const name of ['file', 'folder/auth.json']) await writeFile(at(name), 'harmless');
    const swapping = (swap: () => Promise<void>): Environment => ({
      ...environment,
      async stat(path) {
        const found = await environment.stat(path);
        await swap();
        return found;
      },
    });
    const swapFile = async () => {
      await rm(at('file'));
      await symlink(join(home.path, 'auth.json'), at('file'));
    };
    expect(await check(at('file'), { environment: swapping(swapFile) })).toMatchObject({ allowed: false });
    const swapFolder = async () => {
      await rename(at('folder'), at('moved'));
      await symlink(home.path, at('folder'));
    };
    expect(await check(at('folder/auth.json'), { environment: swapping(swapFolder) })).toMatchObject({
      allowed: false,
    });
  });

  verifies('GW-25', 'lets pass what the turn made, and neither earlier, linked, empty nor large files', async () => {
    const { at, check, home } = await openGate();
    await writeFile(at('new.txt'), 'x');
    expect(await check('new.txt')).toEqual({ allowed: true, bytes: Buffer.from('x'), path: at('new.txt') });
    expect(await check('new.txt', { startedAt: undefined })).toMatchObject({ allowed: false });
    expect(await check('new.txt', { startedAt: undefined, written: ['new.txt'] })).toMatchObject({ allowed: true });
    expect(await check('new.txt', { startedAt: Date.now() + 600_000 })).toMatchObject({ allowed: false });
    expect(await check('new.txt', {}, 0)).toMatchObject({ reason: expect.stringContaining('larger than') });
    const temporary = join(home.userHome, 'temporary.txt');
    await writeFile(temporary, 'x');
    expect(await check(temporary)).toMatchObject({ allowed: false });
    const isMentioned = (name: string) => name === 'temporary.txt';
    expect(await check(temporary, { isMentioned })).toMatchObject({ allowed: true });
    await link(at('new.txt'), at('second.txt'));
    expect(await check('second.txt')).toMatchObject({ reason: 'it is linked to another file' });
    await writeFile(at('empty'), '');
    expect(await check('empty')).toMatchObject({ reason: 'it is empty' });
    await home.write('skills/x.md', 'x');
    expect(await check(join(home.path, 'skills/x.md'))).toMatchObject({
      reason: expect.stringContaining('home directory of Hermes'),
    });
    const received = join(home.path, 'cache/images/me');
    await mkdir(received, { recursive: true });
    await writeFile(join(received, 'a.png'), PNG);
    expect(await check(join(received, 'a.png'))).toMatchObject({ allowed: false });
    expect(await check(join(received, 'a.png'), { ownFolders: [received] })).toMatchObject({ allowed: true });
  });

  it('knows the files that tools wrote, and ignores failed calls', () => {
    const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) });
    const result = (toolCallId: string, toolName: string, content: string) => ({
      role: 'tool' as const,
      toolCallId,
      toolName,
      content,
    });
    const toolCalls = [
      call('1', 'write_file', { path: '/a' }),
      call('2', 'write_file', { path: '/b' }),
      call('3', 'image_generate', { prompt: 'x' }),
      call('4', 'read_file', { path: '/etc/passwd' }),
    ];
    const messages = [
      { role: 'assistant' as const, content: 'Saved /etc/shadow: x', toolCalls },
      result('1', 'write_file', 'Created /a'),
      result('2', 'write_file', '{"error":"no"}'),
      result('3', 'image_generate', 'Saved /work/image-1.png: PNG, 10 bytes.'),
      result('4', 'read_file', 'Saved /etc/passwd: x'),
    ];
    expect(writtenPaths(messages)).toEqual(['/a', '/work/image-1.png']);
  });
});

describe('transcription', () => {
  const audio = { bytes: Buffer.from('OggS sound'), path: '/x.ogg', name: 'audio.ogg', mediaType: 'audio/ogg' };
  const { signal } = new AbortController();

  it('uses the API of OpenAI', async () => {
    let received = '';
    let answer: { status: number; body: string } = { status: 200, body: '{"text":" Hello. "}' };
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received = `${request.url} ${request.headers.authorization}\n${Buffer.concat(chunks).toString('latin1')}`;
        response.writeHead(answer.status).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    const settings = {
      kind: 'service' as const,
      name: 'Test',
      url,
      isOwnServer: true,
      key: 'k',
      model: 'm',
      language: 'de',
    };
    const transcribe = createTranscriber(settings);
    expect(await transcribe(audio, signal)).toBe('Hello.');
    expect(received).toMatch(/^\/v1\/audio\/transcriptions Bearer k\n/);
    expect(received).toMatch(/name="file"; filename="audio\.ogg"\r\nContent-Type: audio\/ogg\r\n\r\nOggS sound\r\n/i);
    expect(received).toMatch(/name="model"\r\n\r\nm\r\n/);
    expect(received).toMatch(/name="language"\r\n\r\nde\r\n/);
    answer = { status: 500, body: 'k' };
    await expect(transcribe(audio, signal)).rejects.toThrow('Test returned status 500.');
    answer = { status: 200, body: 'not JSON' };
    await expect(transcribe(audio, signal)).rejects.toThrow('contains no text');
    answer = { status: 200, body: '{"text":" "}' };
    await expect(transcribe(audio, signal)).rejects.toThrow('empty');
  });

  it('runs a command with quoted values, and reads what it prints or writes', async () => {
    const run = (command: string, stop = signal) =>
      createTranscriber({ kind: 'command', command, model: 'base', language: undefined })(
        { ...audio, path: "/a b'$(id)" },
        stop,
      );
    expect(await run('printf "%s|%s|%s" {input_path} {model} {language}')).toBe("/a b'$(id)|base|en");
    expect(await run('echo noise; echo words > {output_dir}/a.txt')).toBe('words');
    await expect(run('exit 3')).rejects.toThrow('failed with exit code 3');
    await expect(run('no-such-program-x')).rejects.toThrow('was not found');
    const stopping = AbortSignal.timeout(50);
    await expect(run('sleep 60', stopping)).rejects.toThrow('timed out');
  });
});
