import { join } from 'node:path';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { API_MODES } from '../../src/contracts/index.ts';
import { createProviderServer } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { lastLine, useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { PDF, PNG } from '../support/sample-files.ts';
import { startTerminal } from '../support/terminal.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const put = (name: string, bytes: Uint8Array) => writeFile(join(cli.home.workspace, name), bytes);
const BLIND = 'model_overrides:\n  test-model: { vision: false, documents: false }\n';

/** The last user message that the server received. */
const received = () => cli.server.requests.at(-1)?.messages.findLast(({ role }) => role === 'user');

describe('--image', () => {
  for (const apiMode of API_MODES) {
    verifies(['CALL-12', 'REQ-6'], `${apiMode}: sends the file, and sends it again after a resume`, async () => {
      const baseUrl = cli.server.baseUrl(apiMode);
      const model = `model: { provider: custom, default: m, base_url: ${baseUrl}, api_mode: ${apiMode}, api_key: k }\n`;
      await cli.home.write('config.yaml', model);
      cli.server.setScript([{ text: 'a pixel' }, { text: 'still a pixel' }]);
      await put('cat.png', PNG);
      await put('paper.pdf', PDF);
      const files = apiMode === 'ollama_chat' ? ['--image', 'cat.png'] : ['--image', 'cat.png', '--image', 'paper.pdf'];
      expect(await hermes('-z', 'what is it?', ...files)).toMatchObject({ exitCode: 0, stdout: 'a pixel\n' });
      const bytes = apiMode === 'ollama_chat' ? [PNG] : [PNG, PDF];
      expect(received()?.attachments.map((file) => file.bytes.toString('hex'))).toEqual(
        bytes.map((each) => each.toString('hex')),
      );
      expect(await hermes('--continue', '-z', 'sure?')).toMatchObject({ exitCode: 0, stdout: 'still a pixel\n' });
      const [first, second] = cli.server.requests;
      expect(second?.rawBody.startsWith(first?.rawBody.slice(0, -2) ?? '?')).toBe(true);
    });
  }

  verifies(
    'CALL-12',
    'gives a model without vision a description by the auxiliary model, whose usage is counted',
    async () => {
      await using eye = await createProviderServer({ script: [{ text: 'A single pixel.', usage: { input: 900 } }] });
      await put('cat.png', PNG);
      await cli.home.write(
        'config.yaml',
        `auxiliary:\n  vision: { provider: custom, model: eye, base_url: ${eye.url}/v1, api_key: k }\n` +
          `model: { provider: custom, default: test-model, base_url: ${cli.server.url}/v1, api_key: k }\n${BLIND}`,
      );
      cli.server.setScript([{ text: 'a pixel, I am told' }, { text: 'yes' }]);
      const { stdout, stderr } = await hermes('-q', 'what is it?', '--image', 'cat.png');
      expect(stdout).toContain('a pixel, I am told');
      expect(stderr).toContain('custom/eye described cat.png, which the model cannot read');
      expect(received()).toMatchObject({
        text: expect.stringContaining('described it:]\nA single pixel.'),
        attachments: [],
      });
      const { stdout: figures } = await hermes('insights', '--json');
      expect(JSON.parse(figures)).toMatchObject({
        by_purpose: expect.arrayContaining([expect.objectContaining({ purpose: 'vision', calls: 1 })]),
      });
      await hermes('--continue', '-z', 'sure?');
      const [first, second] = cli.server.requests;
      expect(second?.rawBody.startsWith(first?.rawBody.slice(0, -2) ?? '?')).toBe(true);
      expect(eye.requests).toHaveLength(1);
    },
  );

  verifies(['CALL-12', 'CALL-6'], 'sends a placeholder to a fallback without vision', async () => {
    await using second = await createProviderServer({ script: [{ text: 'from the second' }] });
    await put('cat.png', PNG);
    await cli.configure(
      `fallback_providers:\n  - { provider: custom, model: blind, base_url: ${second.url}/v1, api_key: k }\n` +
        'model_overrides:\n  blind: { vision: false }\n',
    );
    cli.server.setScript([{ fault: { type: 'status', status: 401 } }]);
    expect((await hermes('-z', 'what is it?', '--image', 'cat.png')).stdout).toBe('from the second\n');
    expect(received()?.attachments).toHaveLength(1);
    expect(second.requests[0]?.messages[0]).toMatchObject({
      text: expect.stringContaining('Not shown: this model cannot read such files'),
      attachments: [],
    });
  });

  it('exits before any request if a file cannot be attached', async () => {
    await cli.configure();
    await put('notes.png', Buffer.from('just text'));
    for (const [path, reason] of [
      ['nowhere.png', 'no such file'],
      ['notes.png', 'neither an image nor a PDF file'],
    ] as const) {
      const { exitCode, stderr } = await hermes('-q', 'what?', '--image', path);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
    const { stdout } = await hermes('--json', '-q', 'what?', '--image', 'nowhere.png');
    expect(lastLine(stdout)).toMatchObject({ type: 'result', exit_code: 2 });
    expect(cli.server.requests).toEqual([]);
  });

  it('shows, exports and deletes the file with its session', async () => {
    await cli.configure();
    await put('cat.png', PNG);
    cli.server.setScript([{ text: 'a pixel' }, { text: 'yes' }]);
    await hermes('-z', 'what is it?', '--image', 'cat.png');
    const [{ id } = { id: '' }] = JSON.parse((await hermes('sessions', 'list', '--json')).stdout) as { id: string }[];
    expect((await hermes('sessions', 'show', id)).stdout).toMatch(/▣ cat\.png \(image\/png, \d+ B\)/);
    const base64 = PNG.toString('base64');
    for (const name of ['all.html', 'all.jsonl', 'all.md']) await hermes('sessions', 'export', name);
    const exported = (name: string) => readFile(join(cli.home.workspace, name), 'utf8');
    expect(await exported('all.html')).toContain(`src="data:image/png;base64,${base64}"`);
    expect(await exported('all.md')).toContain('- Image: cat.png, image/png');
    expect((await hermes('sessions', 'delete', id, '--yes')).exitCode).toBe(0);
    const blobs = () => readdir(join(cli.home.path, 'state.db.blobs'), { recursive: true });
    expect((await blobs()).filter((name) => name.length > 60)).toEqual([]);
    // An exported session can be imported completely and continued.
    expect((await hermes('sessions', 'import', 'all.jsonl')).exitCode).toBe(0);
    await hermes('--resume', id, '-z', 'sure?');
    expect(cli.server.requests.at(-1)?.messages[0]?.attachments.map(({ bytes }) => bytes.equals(PNG))).toEqual([true]);
  });
});

describe('/image in a chat', () => {
  verifies('CALL-12', 'attaches files to the next message only', async () => {
    await cli.configure();
    await put('cat.png', PNG);
    await put('a paper.pdf', PDF);
    cli.server.setScript((request) => ({ text: `Seen ${request.messages.at(-1)?.attachments.length}.` }));
    const chat = startTerminal(cli.home, ['--image', 'cat.png']);
    await chat.see('Attached to the next message: cat.png (1 kB)');
    await chat.see('❯ ');
    chat.type('/image nowhere.png\r');
    await chat.see('no such file');
    chat.type('/attach "a paper.pdf"\r');
    await chat.see('cat.png (1 kB), a paper.pdf (1 kB)');
    chat.type('look\r');
    await chat.see('Seen 2.');
    await chat.see('❯ ');
    chat.type('again\r');
    await chat.see('Seen 0.');
    chat.type('/image\r');
    await chat.see('No files are attached');
    chat.type('/quit\r');
    expect(await chat.exited).toBe(0);
  });
});
