import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PDF, PNG } from '../../../test/support/sample-files.ts';
import type { ImageQuestion } from '../../contracts/index.ts';
import { createWebServer } from '../web/web-server.fixture.ts';
import { createToolFixture, type ToolFixtureOptions } from '../tools.fixture.ts';
import { locateImage } from './locate-image.ts';

const GIF = Buffer.from('GIF89a\x01\0\x01\0', 'latin1');

/** A fixture whose vision model echoes its input. */
async function studio(options: ToolFixtureOptions & { allowPrivate?: boolean; fails?: Error } = {}) {
  const questions: ImageQuestion[] = [];
  const { allowPrivate = true, fails, ...rest } = options;
  const imageReader = {
    async describe(question: ImageQuestion) {
      questions.push(question);
      if (fails) throw fails;
      return `a ${question.mediaType} called ${question.name}`;
    },
  };
  const services = { imageDescriber: imageReader, imageSources: { allowPrivate } };
  const fixture = await createToolFixture({ ...rest, set: { ...rest.set, services } });
  const look = (image_url: string) => fixture.run('vision_analyze', { image_url, question: 'what is it?' });
  return { ...fixture, questions, look };
}

describe('vision_analyze', () => {
  verifies('TOOL-5', 'asks the model about a file and detects its type from its bytes', async () => {
    await using fixture = await studio();
    await fixture.put('pictures/cat.jpg', PNG);
    const { status, content } = await fixture.look('pictures/cat.jpg');
    expect(status).toBe('ok');
    expect(content).toContain('a image/png called cat.jpg');
    expect(fixture.questions[0]).toMatchObject({ question: 'what is it?', sessionId: 's', taskId: 't' });
    expect(Buffer.from(fixture.questions[0]?.image ?? []).equals(PNG)).toBe(true);
    expect((await fixture.look(`file://${join(fixture.folder, 'pictures/cat.jpg')}`)).content).toContain('cat.jpg');
  });

  verifies('TOOL-9', 'marks the answer as untrusted, because an image may contain text', async () => {
    await using fixture = await studio();
    await fixture.put('cat.png', PNG);
    expect((await fixture.look('cat.png')).content).toMatch(/^⟦untrusted text from vision_analyze/);
  });

  it('fetches a URL, whatever content type the server sends', async () => {
    await using server = await createWebServer(({ url }, response) =>
      url.pathname === '/to'
        ? response.writeHead(302, { location: '/pictures/b.png' }).end()
        : response.writeHead(200, { 'content-type': 'text/html' }).end(GIF),
    );
    await using fixture = await studio();
    expect((await fixture.look(`${server.url}/to`)).content).toContain('a image/gif called b.png');
  });

  verifies('TOOL-10', 'applies the URL rules', async () => {
    await using server = await createWebServer((_seen, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    await using fixture = await studio();
    expect((await fixture.look(server.url)).content).toContain('cloud metadata endpoint');
    await using strict = await studio({ allowPrivate: false });
    expect((await strict.look(server.url)).content).toContain('is a local address');
    expect((await strict.look('data:image/png;base64,AAAA')).content).toContain('must begin with https://');
    expect(server.requests).toHaveLength(1);
    expect([...fixture.questions, ...strict.questions]).toEqual([]);
  });

  it('rejects unusable files without asking a model', async () => {
    await using fixture = await studio();
    await fixture.put('empty.png', '');
    await fixture.put('notes.png', 'just text');
    await fixture.put('paper.png', PDF);
    await fixture.put('phone.png', '\0\0\0\x18ftypheic');
    await fixture.put('huge.png', PNG);
    await truncate(join(fixture.folder, 'huge.png'), 20_000_001);
    expect((await fixture.look('empty.png')).content).toContain('empty.png is empty.');
    expect((await fixture.look('notes.png')).content).toContain('notes.png is not an image. Supported formats: PNG');
    expect((await fixture.look('paper.png')).content).toContain('is a PDF file');
    expect((await fixture.look('phone.png')).content).toContain('is a HEIC image');
    expect((await fixture.look('huge.png')).content).toContain('exceeds the maximum of 20 MB');
    expect((await fixture.look('cat.png')).content).toContain('/cat.png. Find it with search_files');
    expect((await fixture.look('.')).content).toContain('is a directory');
    expect((await fixture.look('')).status).toBe('invalid');
    expect(fixture.questions).toEqual([]);
  });

  it('reports a failed download', async () => {
    await using server = await createWebServer(({ url }, response) => {
      if (url.pathname === '/gone.png') response.writeHead(404).end('<html>');
      else if (url.pathname === '/html.png') response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
      else if (url.pathname === '/empty.png') response.end();
      else response.end(Buffer.alloc(50_000_000, PNG));
    });
    await using fixture = await studio();
    expect((await fixture.look(`${server.url}/gone.png`)).content).toContain('returned status 404');
    expect((await fixture.look(`${server.url}/html.png`)).content).toContain('html.png is not an image');
    expect((await fixture.look(`${server.url}/empty.png`)).content).toContain('empty.png is empty');
    expect((await fixture.look(`${server.url}/flood.png`)).content).toContain('exceeds the maximum of 20 MB');
    expect(fixture.questions).toEqual([]);
  });

  verifies('APPR-4', 'asks for approval before reading a file with secrets, also through a link', async () => {
    await using fixture = await studio({ answers: ['deny', 'once'] });
    await fixture.put('../home/.gnupg/photo', PNG);
    await symlink(join(fixture.home, '.gnupg/photo'), join(fixture.folder, 'cat.png'));
    expect((await fixture.look('cat.png')).status).toBe('denied');
    expect(fixture.asked).toHaveLength(1);
    expect(fixture.questions).toEqual([]);
    expect((await fixture.look('cat.png')).status).toBe('ok');
  });

  it('reports that no model answered, and stops with the turn', async () => {
    await using fixture = await studio({
      fails: new Error('The auxiliary task vision failed: a/b: it is down.'),
    });
    await fixture.put('cat.png', PNG);
    expect((await fixture.look('cat.png')).content).toContain(
      'Could not describe cat.png: The auxiliary task vision failed',
    );
  });

  verifies('TOOL-2', 'is offered only if a vision model is configured', async () => {
    await using plain = await createToolFixture({
      set: { services: { imageDescriber: { describe: async () => '' } } },
    });
    expect(await plain.tools.names()).not.toContain('vision_analyze');
    await plain.put('cat.png', PNG);
    expect((await plain.run('read_file', { path: 'cat.png' })).content).toContain('it is attached');
    await using fixture = await studio();
    expect(await fixture.tools.names()).toContain('vision_analyze');
    await fixture.put('cat.png', PNG);
  });

  it('accepts any text as a path or URL', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'file://', 'http:', 'FILE://localhost/', ' data:'), fc.string(), (head, rest) => {
        const location = locateImage(head + rest);
        const seen =
          location.kind === 'file'
            ? location.path.startsWith('file://')
            : !/^(https?|ftp|data|blob):/i.test(location.url);
        expect(seen).toBe(false);
      }),
    );
  });
});
