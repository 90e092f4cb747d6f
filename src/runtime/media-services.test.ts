import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { blobsOf, imageFile, PNG } from '../../test/support/sample-files.ts';
import { type EnvironmentVariables, loadSettings } from '../config/index.ts';
import type { AuxiliaryModels, AuxiliaryRequest } from '../contracts/index.ts';
import { mediaServices } from './tool-services.ts';
import { describeToolServices } from './tool-services.ts';

async function settingsOf(config: string, env: EnvironmentVariables = {}) {
  const home = await mkdtemp(join(tmpdir(), 'hermes-media-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'config.yaml'), config);
  return loadSettings({ home, env });
}

function listener() {
  const asked: (AuxiliaryRequest & { task: string })[] = [];
  const auxiliary = {
    ask: async (task: string, request: AuxiliaryRequest) => {
      asked.push({ task, ...request });
      return { text: 'a cat' };
    },
  } as unknown as AuxiliaryModels;
  return { asked, auxiliary };
}

describe('mediaServices', () => {
  verifies('PROV-8', 'asks the auxiliary task vision about images', async () => {
    const { asked, auxiliary } = listener();
    const { imageDescriber } = mediaServices(await settingsOf('{}\n'), auxiliary);
    const { signal } = new AbortController();
    const name = `a "strange"\n name ${'x'.repeat(500)}`;
    const question = { image: PNG, mediaType: 'image/png', name, question: 'what is it?', signal };
    expect(await imageDescriber?.describe({ ...question, sessionId: 's', taskId: 't' })).toBe('a cat');
    expect(asked).toMatchObject([{ task: 'vision', sessionId: 's', taskId: 't', blobs: blobsOf(imageFile()) }]);
    const [message] = asked[0]?.messages ?? [];
    expect(message).toMatchObject({ role: 'user', content: 'what is it?', attachments: [{ kind: 'image', size: 70 }] });
    const [attachment] = message?.role === 'user' ? (message.attachments ?? []) : [];
    expect(attachment?.name).toMatch(/^a strange name x{1,110}$/);
  });

  verifies('TOOL-8', 'offers only configured services', async () => {
    const { auxiliary } = listener();
    const plain = mediaServices(await settingsOf('{}\n', { OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' }), auxiliary);
    expect(Object.keys(plain)).toEqual(['imageDescriber']);
    const chosen = await settingsOf(
      'auxiliary: { vision: { provider: main } }\nsecurity: { allow_private_urls: true }\ntts: { provider: openai }\n',
      { OPENAI_API_KEY: 'o', FAL_KEY: 'f' },
    );
    expect(mediaServices(chosen, auxiliary)).toMatchObject({
      imageSources: { allowPrivate: true },
      imageService: { backend: 'fal' },
      speechService: { backend: 'openai' },
    });
    expect(Object.keys(describeToolServices(chosen))).toEqual(
      expect.arrayContaining(['imageDescriber', 'imageSources', 'imageService', 'speechService']),
    );
    expect(describeToolServices(chosen, false)).not.toHaveProperty('imageDescriber');
    const off = await settingsOf('auxiliary: { vision: { provider: main, enabled: false } }\n');
    expect(mediaServices(off, auxiliary)).toEqual({});
    expect(mediaServices(chosen)).not.toHaveProperty('imageDescriber');
  });
});
