import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../config/index.ts';
import type { AuxiliaryModels, AuxiliaryRequest } from '../contracts/index.ts';
import { webServices } from './tool-services.ts';

async function settingsOf(config: string) {
  const home = await mkdtemp(join(tmpdir(), 'hermes-web-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'config.yaml'), config);
  return loadSettings({ home, env: { SEARXNG_URL: 'http://localhost:8080' } });
}

const asked: (AuxiliaryRequest & { task: string })[] = [];
const auxiliary = {
  ask: async (task: string, request: AuxiliaryRequest) => {
    asked.push({ task, ...request });
    return { text: 'short' };
  },
} as unknown as AuxiliaryModels;

describe('webServices', () => {
  it('summarises pages only if a model for it is configured', async () => {
    const plain = webServices(await settingsOf('model: { provider: demo }\n'), auxiliary);
    expect(plain.webPages).toEqual({ allowPrivate: false });
    expect(plain.webSearch?.backend).toBe('searxng');
    const off = await settingsOf('auxiliary: { web_extract: { provider: main, enabled: false } }\n');
    expect(webServices(off, auxiliary).webPages?.summarise).toBeUndefined();
    const settings = await settingsOf(
      'auxiliary: { web_extract: { provider: main } }\nsecurity: { allow_private_urls: true }\n',
    );
    const { webPages } = webServices(settings, auxiliary);
    expect(webPages?.allowPrivate).toBe(true);
    const options = { signal: new AbortController().signal, sessionId: 's', taskId: 't' };
    expect(await webPages?.summarise?.('x'.repeat(500_000), options)).toBe('short');
    expect(asked).toMatchObject([{ task: 'web_extract', sessionId: 's', taskId: 't' }]);
    expect(String(asked[0]?.messages[0]?.content).length).toBeLessThan(401_000);
  });
});
