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

/** A fixture whose model for images says what it was asked. */
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
  const services = { imageReader, imageSources: { allowPrivate } };
  const fixture = await createToolFixture({ ...rest, set: { ...rest.set, services } });
  const look = (image_url: string) => fixture.run('vision_analyze', { image_url, question: 'what is it?' });
  return { ...fixture, questions, look };
}

describe('looking at an image', () => {
  verifies('TOOL-5', 'asks the model about a file, which is what its bytes say', async () => {
    await using fixture = await studio();
    await fixture.put('pictures/cat.jpg', PNG);
    const { status, content } = await fixture.look('pictures/cat.jpg');
    expect(status).toBe('ok');
    expect(content).toContain('a image/png called cat.jpg');
    expect(fixture.questions[0]).toMatchObject({ question: 'what is it?', sessionId: 's', taskId: 't' });
    expect(Buffer.from(fixture.questions[0]?.image ?? []).equals(PNG)).toBe(true);
    expect((await fixture.look(`file://${join(fixture.folder, 'pictures/cat.jpg')}`)).content).toContain('cat.jpg');
  });

  verifies('TOOL-9', 'marks the answer, for an image may have words in it', async () => {
    await using fixture = await studio();
    await fixture.put('cat.png', PNG);
    expect((await fixture.look('cat.png')).content).toMatch(/^⟦text from outside, by vision_analyze/);
  });

  it('fetches an address, whatever its server says of the type', async () => {
    await using server = await createWebServer(({ url }, response) =>
      url.pathname === '/to'
        ? response.writeHead(302, { location: '/pictures/b.png' }).end()
        : response.writeHead(200, { 'content-type': 'text/html' }).end(GIF),
    );
    await using fixture = await studio();
    expect((await fixture.look(`${server.url}/to`)).content).toContain('a image/gif called b.png');
  });

  verifies('TOOL-10', 'keeps to the rules for addresses', async () => {
    await using server = await createWebServer((_seen, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    await using fixture = await studio();
    expect((await fixture.look(server.url)).content).toContain('credentials of this machine');
    await using strict = await studio({ allowPrivate: false });
    expect((await strict.look(server.url)).content).toContain('leads to this machine itself');
    expect((await strict.look('data:image/png;base64,AAAA')).content).toContain('no address that can be fetched');
    expect(server.requests).toHaveLength(1);
    expect([...fixture.questions, ...strict.questions]).toEqual([]);
  });

  it('says what it cannot look at, and asks nobody about it', async () => {
    await using fixture = await studio();
    await fixture.put('empty.png', '');
    await fixture.put('notes.png', 'just text');
    await fixture.put('paper.png', PDF);
    await fixture.put('phone.png', '\0\0\0\x18ftypheic');
    await fixture.put('huge.png', PNG);
    await truncate(join(fixture.folder, 'huge.png'), 20_000_001);
    expect((await fixture.look('empty.png')).content).toContain('empty.png is empty.');
    expect((await fixture.look('notes.png')).content).toContain('notes.png is no image. Only PNG');
    expect((await fixture.look('paper.png')).content).toContain('is a PDF file');
    expect((await fixture.look('phone.png')).content).toContain('is a HEIC image');
    expect((await fixture.look('huge.png')).content).toContain('more than 20 MB');
    expect((await fixture.look('cat.png')).content).toContain('There is no file cat.png');
    expect((await fixture.look('.')).content).toContain('is a folder');
    expect((await fixture.look('')).status).toBe('invalid');
    expect(fixture.questions).toEqual([]);
  });

  it('says what an address did not give', async () => {
    await using server = await createWebServer(({ url }, response) => {
      if (url.pathname === '/gone.png') response.writeHead(404).end('<html>');
      else if (url.pathname === '/html.png') response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
      else if (url.pathname === '/empty.png') response.end();
      else response.end(Buffer.alloc(50_000_000, PNG));
    });
    await using fixture = await studio();
    expect((await fixture.look(`${server.url}/gone.png`)).content).toContain('answered with status 404');
    expect((await fixture.look(`${server.url}/html.png`)).content).toContain('html.png is no image');
    expect((await fixture.look(`${server.url}/empty.png`)).content).toContain('empty.png is empty');
    expect((await fixture.look(`${server.url}/flood.png`)).content).toContain('more than 20 MB');
    expect(fixture.questions).toEqual([]);
  });

  verifies('APPR-4', 'asks before a file with secrets is looked at, also through a link', async () => {
    await using fixture = await studio({ answers: ['deny', 'once'] });
    await fixture.put('../home/.gnupg/photo', PNG);
    await symlink(join(fixture.home, '.gnupg/photo'), join(fixture.folder, 'cat.png'));
    expect((await fixture.look('cat.png')).status).toBe('denied');
    expect(fixture.asked).toHaveLength(1);
    expect(fixture.questions).toEqual([]);
    expect((await fixture.look('cat.png')).status).toBe('ok');
  });

  it('says that no model could answer, and ends with the turn', async () => {
    await using fixture = await studio({
      fails: new Error('The auxiliary task vision failed: a/b: it is down.'),
    });
    await fixture.put('cat.png', PNG);
    expect((await fixture.look('cat.png')).content).toContain(
      'Nobody could look at cat.png: The auxiliary task vision failed',
    );
  });

  verifies('TOOL-2', 'is offered only where a model for images was chosen', async () => {
    await using plain = await createToolFixture({ set: { services: { imageReader: { describe: async () => '' } } } });
    expect(await plain.tools.names()).not.toContain('vision_analyze');
    await plain.put('cat.png', PNG);
    expect((await plain.run('read_file', { path: 'cat.png' })).content).toContain('Pictures cannot be shown here');
    await using fixture = await studio();
    expect(await fixture.tools.names()).toContain('vision_analyze');
    await fixture.put('cat.png', PNG);
    expect((await fixture.run('read_file', { path: 'cat.png' })).content).toContain('Look at it with vision_analyze.');
  });

  it('takes any text for a path or an address', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'file://', 'http:', 'FILE://localhost/', ' data:'), fc.string(), (head, rest) => {
        const place = locateImage(head + rest);
        const seen =
          place.kind === 'file' ? place.path.startsWith('file://') : !/^(https?|ftp|data|blob):/i.test(place.url);
        expect(seen).toBe(false);
      }),
    );
  });
});
