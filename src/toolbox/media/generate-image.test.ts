import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { PNG } from '../../../test/support/sample-files.ts';
import type { JsonObject, JsonValue } from '../../base/index.ts';
import { IMAGE_BACKENDS, type ImageBackend } from '../../contracts/index.ts';
import { createWebServer, type SeenRequest } from '../web/web-server.fixture.ts';
import { createToolFixture, errorOf, type ToolFixtureOptions } from '../tools.fixture.ts';
import { IMAGE_SERVICES } from './image-services.ts';

const KEY = 'key-of-the-test';
const BASE64 = PNG.toString('base64');
const authorization = ({ headers }: SeenRequest) => headers.authorization;
const bodyOf = ({ body }: SeenRequest) => JSON.parse(body) as JsonObject;

/** The response of each service, and the request it expects. */
const SPOKEN: Record<ImageBackend, { path: string; answer(base: string): JsonValue; wants: JsonObject; key: string }> =
  {
    fal: {
      path: '/fal-ai/flux-2/klein/9b',
      answer: (base) => ({ images: [{ url: `${base}/made.png`, content_type: 'image/png' }], seed: 7 }),
      wants: { prompt: 'a cat', image_size: 'portrait_16_9', num_images: 1, output_format: 'png' },
      key: `Key ${KEY}`,
    },
    openai: {
      path: '/images/generations',
      answer: () => ({ created: 1, data: [{ b64_json: BASE64 }], usage: { total_tokens: 9 } }),
      wants: { prompt: 'a cat', model: 'gpt-image-1', n: 1, size: '1024x1536' },
      key: `Bearer ${KEY}`,
    },
    xai: {
      path: '/images/generations',
      answer: (base) => ({ data: [{ url: `${base}/made.png`, revised_prompt: 'a fine cat' }] }),
      wants: { prompt: 'a cat', model: 'grok-imagine-image', n: 1, aspect_ratio: '9:16', response_format: 'b64_json' },
      key: `Bearer ${KEY}`,
    },
    openrouter: {
      path: '/chat/completions',
      answer: () => ({
        choices: [{ message: { content: '', images: [{ image_url: { url: `data:image/png;base64,${BASE64}` } }] } }],
      }),
      wants: {
        model: 'google/gemini-2.5-flash-image',
        messages: [{ role: 'user', content: 'a cat' }],
        modalities: ['image', 'text'],
        image_config: { aspect_ratio: '9:16' },
        usage: { include: true },
      },
      key: `Bearer ${KEY}`,
    },
    deepinfra: {
      path: '/images/generations',
      answer: () => ({ data: [{ b64_json: BASE64 }] }),
      wants: {
        prompt: 'a cat',
        model: 'black-forest-labs/FLUX-1-schnell',
        n: 1,
        size: '1024x1536',
        response_format: 'b64_json',
      },
      key: `Bearer ${KEY}`,
    },
  };

function studio(backend: ImageBackend, url: string | undefined, more: ToolFixtureOptions & { model?: string } = {}) {
  const { model, ...options } = more;
  const imageMaker = { backend, key: KEY, url, model };
  return createToolFixture({ ...options, set: { services: { imageService: imageMaker } } });
}

/** A server that responds with JSON and serves an image. */
function imageServer(answer: (base: string) => JsonValue) {
  const server = createWebServer(({ method, headers }, response) =>
    response.end(method === 'GET' ? PNG : JSON.stringify(answer(`http://${headers.host}`))),
  );
  return server;
}

describe('image_generate', () => {
  for (const backend of IMAGE_BACKENDS) {
    verifies('TOOL-5', `requests an image from ${backend} in its own format and saves it`, async () => {
      const { path, answer, wants, key } = SPOKEN[backend];
      await using server = await imageServer(answer);
      await using fixture = await studio(backend, `${server.url}/`);
      const { status, content } = await fixture.run('image_generate', { prompt: 'a cat', aspect_ratio: 'portrait' });
      expect(status).toBe('ok');
      const saved = /^Saved (\S+\.png): a PNG image of 1 × 1 pixels, 70 bytes\.$/.exec(content)?.[1] ?? '';
      expect((await readFile(saved)).equals(PNG)).toBe(true);
      const [asked, ...fetched] = server.requests as [SeenRequest, ...SeenRequest[]];
      expect([asked.method, asked.url.pathname, authorization(asked)]).toEqual(['POST', path, key]);
      expect(bodyOf(asked)).toEqual(wants);
      // The key goes to the service, not to the host of its images.
      expect(fetched.map(authorization).every((sent) => sent === undefined)).toBe(true);
    });
  }

  verifies('TOOL-5', 'edits an image with each service in its own format', async () => {
    const source = `data:image/png;base64,${BASE64}`;
    const sent: Record<ImageBackend, [path: string, part: string]> = {
      fal: ['/fal-ai/flux-2/klein/9b/edit', `"image_urls":["${source}"]`],
      openai: ['/images/edits', 'name="image"; filename="cat.png"'],
      xai: ['/images/edits', `"image":{"type":"image_url","url":"${source}"}`],
      openrouter: ['/chat/completions', `{"type":"image_url","image_url":{"url":"${source}"}}`],
      deepinfra: ['/images/edits', 'name="image"; filename="cat.png"'],
    };
    for (const backend of IMAGE_BACKENDS) {
      await using server = await imageServer(SPOKEN[backend].answer);
      await using fixture = await studio(backend, server.url);
      await fixture.put('cat.png', PNG);
      const args = { prompt: 'make it blue', image_url: 'cat.png', output_path: 'blue.png' };
      expect((await fixture.run('image_generate', args)).content).toContain('blue.png: a PNG image');
      const [asked] = server.requests as [SeenRequest];
      expect([asked.url.pathname, authorization(asked)]).toEqual([sent[backend][0], SPOKEN[backend].key]);
      expect(asked.body).toContain(sent[backend][1]);
      expect(asked.body).toContain('make it blue');
      const noImage = await fixture.run('image_generate', { prompt: 'x', image_url: 'nowhere.png' });
      expect(errorOf(noImage)).toContain('/nowhere.png. Find it with search_files');
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }
  });

  it('uses the path of the call and the configured model', async () => {
    await using server = await imageServer(SPOKEN.openai.answer);
    await using fixture = await studio('openai', server.url, { model: 'my-model' });
    const { content } = await fixture.run('image_generate', { prompt: 'a cat', output_path: 'art/cat.png' });
    expect(content).toContain(join(fixture.folder, 'art/cat.png'));
    expect(bodyOf(server.requests[0] as SeenRequest)).toMatchObject({ model: 'my-model', size: '1536x1024' });
    const [, changed] = await fixture.runAll([
      { name: 'image_generate', args: { prompt: 'a dog', output_path: 'dog.png' } },
      { name: 'image_generate', args: { prompt: 'a blue dog', image_url: 'dog.png' } },
    ]);
    expect(changed?.status).toBe('ok');
    await fixture.runAll([1, 2, 3].map((nth) => ({ name: 'image_generate', args: { prompt: `cat ${nth}` } })));
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith('image-'))).toHaveLength(4);
  });

  verifies('APPR-4', 'asks for approval of a protected path before anything is paid', async () => {
    await using server = await imageServer(SPOKEN.openai.answer);
    await using fixture = await studio('openai', server.url, { answers: ['deny'] });
    await symlink(join(fixture.home, '.bashrc'), join(fixture.folder, 'cat.png'));
    expect((await fixture.run('image_generate', { prompt: 'a cat', output_path: 'cat.png' })).status).toBe('denied');
    expect(fixture.asked.map(({ subject }) => subject)).toEqual([join(fixture.home, '.bashrc')]);
    expect(errorOf(await fixture.run('image_generate', { prompt: 'a cat', output_path: '.' }))).toContain(
      'is not a regular file',
    );
    await using plan = await studio('openai', server.url, { guard: { planMode: true } });
    expect((await plan.run('image_generate', { prompt: 'a cat' })).status).toBe('denied');
    expect(server.requests).toEqual([]);
  });

  it('reports failures without echoing the request, and saves nothing', async () => {
    let answer: [number, string | Buffer] = [401, `bad ${KEY}`];
    await using server = await createWebServer((_seen, response) => response.writeHead(answer[0]).end(answer[1]));
    await using fixture = await studio('openai', server.url);
    const ask = async (status: number, body: string | Buffer) => {
      answer = [status, body];
      return errorOf(await fixture.run('image_generate', { prompt: `try ${status} ${body.length}` }));
    };
    const refused = await ask(401, `bad ${KEY}`);
    expect(refused).toMatch(/^OpenAI returned status 401\. The API key is missing/);
    expect(refused).not.toContain(KEY);
    expect(await ask(429, '')).toContain('rate limit or quota is exceeded');
    expect(await ask(500, '<html>')).toContain('Try again later');
    expect(await ask(400, '{"error":{"code":"moderation_blocked"}}')).toContain('violates the content policy');
    expect(await ask(400, '{"error":"no"}')).toContain('rejected the request');
    expect(await ask(200, '<html>hello</html>')).toContain('contains no image');
    expect(await ask(200, '{"data":[{"b64_json":"PGh0bWw+"}]}')).toContain('is not an image');
    expect(await ask(200, Buffer.alloc(50_000_000, 'a'))).toContain('exceeds 40 MB');
    const asked = server.requests.length;
    const leaked = await fixture.run('image_generate', { prompt: `draw sk-ant-api03-${'a1B2'.repeat(20)}` });
    expect(errorOf(leaked)).toContain('key or token');
    expect(server.requests).toHaveLength(asked);
    expect(await readdir(fixture.folder)).toEqual([]);
  });

  verifies('TOOL-10', 'does not download from private addresses, and sends the key to no other host', async () => {
    await using inside = await createWebServer((_seen, response) => response.end(PNG));
    await using server = await imageServer(() => ({ images: [{ url: `${inside.url}/made.png` }] }));
    await using fixture = await studio('fal', server.url);
    expect(errorOf(await fixture.run('image_generate', { prompt: 'a cat' }))).toContain('is a local address');
    expect(inside.requests).toEqual([]);
    await using sends = await createWebServer((_seen, response) =>
      response.writeHead(307, { location: inside.url }).end(),
    );
    await using other = await studio('fal', sends.url);
    await other.run('image_generate', { prompt: 'a cat' });
    expect(inside.requests).toEqual([]);
  });

  it('stops with the turn if the service never answers', async () => {
    const turn = new AbortController();
    await using server = await createWebServer(() => turn.abort());
    await using fixture = await studio('fal', server.url);
    expect((await fixture.run('image_generate', { prompt: 'a cat' }, turn.signal)).status).toBe('interrupted');
  });

  it('survives a response of any shape', () => {
    fc.assert(
      fc.property(fc.constantFrom(...IMAGE_BACKENDS), fc.oneof(fc.json(), fc.string()), (backend, body) => {
        for (const text of [body, `{"data":[${body}]}`, `{"images":${body}}`, `{"choices":[{"message":${body}}]}`]) {
          const made = IMAGE_SERVICES[backend].parse(text) ?? { url: '' };
          expect(Object.values(made).map((value) => typeof value)).toEqual(['string']);
        }
      }),
    );
  });

  verifies('TOOL-2', 'is offered only if a service is configured', async () => {
    await using fixture = await createToolFixture();
    expect(await fixture.tools.names()).not.toContain('image_generate');
    await using ready = await studio('fal', undefined);
    expect(await ready.tools.names()).toContain('image_generate');
  });
});
