import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PDF, PNG } from '../../../test/support/sample-files.ts';
import type { ImageQuestion } from '../../contracts/index.ts';
import { createWebServer } from '../web/web-server.fixture.ts';
import { createWorkshop, type WorkshopOptions } from '../workshop.fixture.ts';
import { imagePlace } from './image-place.ts';

const GIF = Buffer.from('GIF89a\x01\0\x01\0', 'latin1');

/** A workshop whose model for images says what it was asked. */
async function studio(options: WorkshopOptions & { allowPrivate?: boolean; fails?: Error } = {}) {
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
  const shop = await createWorkshop({ ...rest, set: { ...rest.set, services } });
  const look = (image_url: string) => shop.run('vision_analyze', { image_url, question: 'what is it?' });
  return { ...shop, questions, look };
}

describe('looking at an image', () => {
  verifies('TOOL-5', 'asks the model about a file, which is what its bytes say', async () => {
    await using shop = await studio();
    await shop.put('pictures/cat.jpg', PNG);
    const { status, content } = await shop.look('pictures/cat.jpg');
    expect(status).toBe('ok');
    expect(content).toContain('a image/png called cat.jpg');
    expect(shop.questions[0]).toMatchObject({ question: 'what is it?', sessionId: 's', taskId: 't' });
    expect(Buffer.from(shop.questions[0]?.image ?? []).equals(PNG)).toBe(true);
    expect((await shop.look(`file://${join(shop.folder, 'pictures/cat.jpg')}`)).content).toContain('cat.jpg');
  });

  verifies('TOOL-9', 'marks the answer, for an image may have words in it', async () => {
    await using shop = await studio();
    await shop.put('cat.png', PNG);
    expect((await shop.look('cat.png')).content).toMatch(/^⟦text from outside, by vision_analyze/);
  });

  it('fetches an address, whatever its server says of the type', async () => {
    await using server = await createWebServer(({ url }, response) =>
      url.pathname === '/to'
        ? response.writeHead(302, { location: '/pictures/b.png' }).end()
        : response.writeHead(200, { 'content-type': 'text/html' }).end(GIF),
    );
    await using shop = await studio();
    expect((await shop.look(`${server.url}/to`)).content).toContain('a image/gif called b.png');
  });

  verifies('TOOL-10', 'keeps to the rules for addresses', async () => {
    await using server = await createWebServer((_seen, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    );
    await using shop = await studio();
    expect((await shop.look(server.url)).content).toContain('credentials of this machine');
    await using strict = await studio({ allowPrivate: false });
    expect((await strict.look(server.url)).content).toContain('leads to this machine itself');
    expect((await strict.look('data:image/png;base64,AAAA')).content).toContain('no address that can be fetched');
    expect(server.requests).toHaveLength(1);
    expect([...shop.questions, ...strict.questions]).toEqual([]);
  });

  it('says what it cannot look at, and asks nobody about it', async () => {
    await using shop = await studio();
    await shop.put('empty.png', '');
    await shop.put('notes.png', 'just text');
    await shop.put('paper.png', PDF);
    await shop.put('phone.png', '\0\0\0\x18ftypheic');
    await shop.put('huge.png', PNG);
    await truncate(join(shop.folder, 'huge.png'), 20_000_001);
    expect((await shop.look('empty.png')).content).toContain('empty.png is empty.');
    expect((await shop.look('notes.png')).content).toContain('notes.png is no image. Only PNG');
    expect((await shop.look('paper.png')).content).toContain('is a PDF file');
    expect((await shop.look('phone.png')).content).toContain('is a HEIC image');
    expect((await shop.look('huge.png')).content).toContain('more than 20 MB');
    expect((await shop.look('cat.png')).content).toContain('There is no file cat.png');
    expect((await shop.look('.')).content).toContain('is a folder');
    expect((await shop.look('')).status).toBe('invalid');
    expect(shop.questions).toEqual([]);
  });

  it('says what an address did not give', async () => {
    await using server = await createWebServer(({ url }, response) => {
      if (url.pathname === '/gone.png') response.writeHead(404).end('<html>');
      else if (url.pathname === '/html.png') response.writeHead(200, { 'content-type': 'image/png' }).end('<html>');
      else if (url.pathname === '/empty.png') response.end();
      else response.end(Buffer.alloc(50_000_000, PNG));
    });
    await using shop = await studio();
    expect((await shop.look(`${server.url}/gone.png`)).content).toContain('answered with status 404');
    expect((await shop.look(`${server.url}/html.png`)).content).toContain('html.png is no image');
    expect((await shop.look(`${server.url}/empty.png`)).content).toContain('empty.png is empty');
    expect((await shop.look(`${server.url}/flood.png`)).content).toContain('more than 20 MB');
    expect(shop.questions).toEqual([]);
  });

  verifies('APPR-4', 'asks before a file with secrets is looked at, also through a link', async () => {
    await using shop = await studio({ answers: ['deny', 'once'] });
    await shop.put('../home/.gnupg/photo', PNG);
    await symlink(join(shop.home, '.gnupg/photo'), join(shop.folder, 'cat.png'));
    expect((await shop.look('cat.png')).status).toBe('denied');
    expect(shop.asked).toHaveLength(1);
    expect(shop.questions).toEqual([]);
    expect((await shop.look('cat.png')).status).toBe('ok');
  });

  it('says that no model could answer, and ends with the turn', async () => {
    await using shop = await studio({
      fails: new Error('No model could do the auxiliary task vision: a/b: it is down.'),
    });
    await shop.put('cat.png', PNG);
    expect((await shop.look('cat.png')).content).toContain('Nobody could look at cat.png: No model could do');
  });

  verifies('TOOL-2', 'is offered only where a model for images was chosen', async () => {
    await using plain = await createWorkshop({ set: { services: { imageReader: { describe: async () => '' } } } });
    expect(await plain.tools.names()).not.toContain('vision_analyze');
    await plain.put('cat.png', PNG);
    expect((await plain.run('read_file', { path: 'cat.png' })).content).toContain('Pictures cannot be shown here');
    await using shop = await studio();
    expect(await shop.tools.names()).toContain('vision_analyze');
    await shop.put('cat.png', PNG);
    expect((await shop.run('read_file', { path: 'cat.png' })).content).toContain('Look at it with vision_analyze.');
  });

  it('takes any text for a path or an address', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'file://', 'http:', 'FILE://localhost/', ' data:'), fc.string(), (head, rest) => {
        const place = imagePlace(head + rest);
        const seen =
          place.kind === 'file' ? place.path.startsWith('file://') : !/^(https?|ftp|data|blob):/i.test(place.url);
        expect(seen).toBe(false);
      }),
    );
  });
});
