import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { API_MODES } from '../../src/contracts/index.ts';
import { OFFICIAL_SERVERS } from '../support/mcp-servers.ts';
import { fullDoseOnly } from '../support/dose.ts';
import type { Reply } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { PNG } from '../support/sample-files.ts';

const cli = useCliFixture();
const hermes = (...args: string[]) => runHermes(args, { home: cli.home });
const call = (name: string, args: Record<string, string> = {}): Reply => ({
  toolCalls: [{ id: 'call_1', name, arguments: args }],
});
/** The images in a request, each with the role of its message. */
const imagesIn = (index: number) =>
  (cli.server.requests.at(index)?.messages ?? []).flatMap(({ role, attachments }) =>
    attachments.map(({ bytes }) => ({ role, isPng: bytes.subarray(1, 4).toString() === 'PNG', size: bytes.length })),
  );

describe('read_file on an image', () => {
  for (const apiMode of API_MODES) {
    verifies(['TOOL-11', 'REQ-6'], `${apiMode}: shows it to the model, also after a resume`, async () => {
      const baseUrl = cli.server.baseUrl(apiMode);
      const model = `model: { provider: custom, default: m, base_url: ${baseUrl}, api_mode: ${apiMode}, api_key: k }\n`;
      await cli.home.write('config.yaml', model);
      await writeFile(join(cli.home.workspace, 'cat.png'), PNG);
      cli.server.setScript([call('read_file', { path: 'cat.png' }), { text: 'a pixel' }, { text: 'still' }]);
      expect(await hermes('-z', 'what is in cat.png?')).toMatchObject({ exitCode: 0, stdout: 'a pixel\n' });
      expect(await hermes('--continue', '-z', 'sure?')).toMatchObject({ exitCode: 0, stdout: 'still\n' });
      const role = apiMode === 'anthropic_messages' ? 'tool' : 'user';
      const image = { role, isPng: true, size: PNG.length };
      expect(imagesIn(1)).toEqual([image]);
      expect(imagesIn(2)).toEqual([image]);
      const [, before, after] = cli.server.requests.map(({ rawBody }) => rawBody);
      expect(after?.startsWith(before?.slice(0, -2) ?? '?')).toBe(true);
    });
  }

  verifies(['TOOL-11', 'STORE-3'], 'is shown, exported, imported and replayed with the session', async () => {
    await cli.configure();
    await writeFile(join(cli.home.workspace, 'cat.png'), PNG);
    cli.server.setScript([call('read_file', { path: 'cat.png' }), { text: 'a pixel' }, { text: 'still' }]);
    await hermes('-z', 'what is in cat.png?');
    const [{ id = '' } = {}] = JSON.parse((await hermes('sessions', 'list', '--json')).stdout) as { id?: string }[];
    expect((await hermes('sessions', 'show', id)).stdout).toContain('▣ cat.png (image/png');
    const replayed = await hermes('replay', id, '--json');
    expect(JSON.parse(replayed.stdout)).toMatchObject({ same: true, differences: [] });
    const page = await hermes('sessions', 'export', '-', '--session', id, '--format', 'html');
    expect(page.stdout).toContain(`data:image/png;base64,${PNG.toString('base64')}`);
    await hermes('sessions', 'export', 'all.jsonl');
    expect((await hermes('sessions', 'delete', id, '--yes')).exitCode).toBe(0);
    expect((await hermes('sessions', 'import', 'all.jsonl')).exitCode).toBe(0);
    expect((await hermes('--resume', id, '-z', 'sure?')).stdout).toBe('still\n');
    expect(imagesIn(-1)).toEqual([{ role: 'user', isPng: true, size: PNG.length }]);
  });
});

describe('an MCP server', () => {
  verifies(
    ['TOOL-11', 'SURF-8'],
    'shows its images to the model, directly and through the tool bridge',
    fullDoseOnly,
    async () => {
      const server = { command: process.execPath, args: [OFFICIAL_SERVERS.everything] };
      await cli.configure(`mcp_servers: ${JSON.stringify({ it: server })}\n`);
      const bridged = { toolCalls: [{ id: 'b', name: 'tool_call', arguments: { name: 'mcp__it__get-tiny-image' } }] };
      cli.server.setScript([call('mcp__it__get-tiny-image'), bridged, { text: 'a logo' }]);
      expect((await hermes('-z', 'show me the image')).stdout).toBe('a logo\n');
      expect(imagesIn(1)).toEqual([{ role: 'user', isPng: true, size: expect.any(Number) }]);
      expect(imagesIn(2)).toHaveLength(2);
      const result = cli.server.requests[1]?.messages.find(({ role }) => role === 'tool')?.text ?? '';
      expect(result).toMatch(/^\[Attached image "image-1.png"\]\n\n⟦untrusted text from mcp__it__get-tiny-image/);
      expect(result).toMatch(/\[image image\/png, \d+ bytes, saved to .*\.png\]/);
    },
  );
});
