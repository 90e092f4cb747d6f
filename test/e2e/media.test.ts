import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWebServer } from '../../src/toolbox/web/web-server.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { configFor, jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { PNG } from '../support/sample-files.ts';

const cli = useCliFixture();

function configure(auxiliary: string, more = ''): Promise<void> {
  const tasks = `auxiliary:\n  title_generation: { enabled: false }\n${auxiliary}`;
  return cli.home.write('config.yaml', tasks + configFor(cli.server) + more);
}

async function callOnce(name: string, args: Record<string, unknown>, between: { text: string }[], cwd: string) {
  const call = { toolCalls: [{ name, arguments: JSON.stringify(args) }] };
  cli.server.setScript([call, ...between, { text: 'done' }]);
  const { stdout } = await runHermes(['--json', '-q', 'go'], { home: cli.home, cwd });
  return jsonLines(stdout).find(({ type }) => type === 'tool-finished') as { status: string; content: string };
}

describe('images and speech on the command line', () => {
  verifies('TOOL-5', 'describe a file with the auxiliary model, which gets the bytes', async () => {
    const cwd = cli.home.workspace;
    await writeFile(join(cwd, 'cat.png'), PNG);
    await configure('  vision: { provider: main }\n');
    const args = { image_url: 'cat.png', question: 'Which animal?' };
    const { status, content } = await callOnce('vision_analyze', args, [{ text: 'A cat, I think.' }], cwd);
    expect([status, content]).toEqual(['ok', expect.stringContaining('A cat, I think.')]);
    const [, asked] = cli.server.requests;
    expect(asked?.lastUserText).toContain('Which animal?');
    const sent = asked?.messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
    expect(sent).toMatchObject([{ kind: 'image', mediaType: 'image/png' }]);
  });

  verifies('TOOL-5', 'write a generated image and generated speech to the working directory', async () => {
    const cwd = cli.home.workspace;
    await using services = await createWebServer(({ url }, response) =>
      url.pathname.endsWith('/speech')
        ? response.end('ID3 and so on')
        : response.end(JSON.stringify({ data: [{ b64_json: PNG.toString('base64') }] })),
    );
    const speech = `tts: { provider: openai, openai: { base_url: "${services.url}/v1" } }\n`;
    await configure('', `image_gen: { base_url: "${services.url}/v1", model: mine }\n${speech}`);
    const image = await callOnce('image_generate', { prompt: 'a cat', output_path: 'cat.png' }, [], cwd);
    expect(image.content).toContain(`Saved ${join(cwd, 'cat.png')}: a PNG image of 1 × 1 pixels`);
    expect((await readFile(join(cwd, 'cat.png'))).equals(PNG)).toBe(true);
    const sound = await callOnce('text_to_speech', { text: 'Hello' }, [], cwd);
    expect(sound.content).toMatch(/^Saved \S+\/speech-[0-9a-f]{8}\.mp3: MP3 audio, 13 bytes\.$/);
    // The key of the model is only sent to its own host.
    expect(services.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it('are not offered without a configured service, and the list says what to do', async () => {
    await configure('');
    const { stdout } = await runHermes(['tools', 'list'], { home: cli.home });
    expect(stdout).toMatch(/vision_analyze.*set auxiliary\.vision/);
    expect(stdout).toMatch(/image_generate.*set FAL_KEY or image_gen\.provider/);
    expect(stdout).toMatch(/text_to_speech.*set ELEVENLABS_API_KEY or tts\.provider/);
    cli.server.setScript([{ text: 'done' }]);
    await runHermes(['-z', 'go'], { home: cli.home });
    const offered = cli.server.requests[0]?.toolNames ?? [];
    expect(offered.filter((name) => /vision|image|speech/.test(name))).toEqual([]);
  });
});
