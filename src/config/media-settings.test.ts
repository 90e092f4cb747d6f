import { describe, expect, it } from 'vitest';
import { readImageService, readSpeechService } from './media-settings.ts';

describe('the image service', () => {
  it('is the configured one, or one whose key has no other use', () => {
    const backendOf = (values: Parameters<typeof readImageService>[0], variables = {}) =>
      readImageService(values, variables)?.backend;
    expect(backendOf({})).toBeUndefined();
    expect(backendOf({}, { OPENAI_API_KEY: 'o', OPENROUTER_API_KEY: 'r' })).toBeUndefined();
    expect(backendOf({}, { OPENAI_API_KEY: 'o', FAL_KEY: 'f' })).toBe('fal');
    expect(backendOf({ provider: 'openai' }, { OPENAI_API_KEY: 'o', FAL_KEY: 'f' })).toBe('openai');
    expect(backendOf({ provider: 'openai' }, { FAL_KEY: 'f' })).toBeUndefined();
    expect(backendOf({ provider: 'of-others' }, { FAL_KEY: 'f' })).toBe('fal');
    expect(backendOf({ base_url: 'http://localhost:1234/v1' })).toBe('openai');
  });

  it('does not get the key of another host', () => {
    const variables = { OPENAI_API_KEY: 'of-openai', OWN: 'own' };
    const other = { provider: 'openai', base_url: 'http://localhost:1/v1', model: 'm' };
    expect(readImageService({ provider: 'openai' }, variables)).toEqual({
      backend: 'openai',
      key: 'of-openai',
      url: undefined,
      model: undefined,
    });
    expect(readImageService(other, variables)).toEqual({
      backend: 'openai',
      key: undefined,
      url: other.base_url,
      model: 'm',
    });
    expect(readImageService({ ...other, api_key: '${OWN}' }, variables)?.key).toBe('own');
    expect(readImageService({ ...other, api_key: '${MISSING}' }, variables)?.key).toBeUndefined();
    expect(readImageService({ ...other, base_url: '${MISSING}/v1' }, variables)).toBeUndefined();
  });
});

describe('the speech service', () => {
  it('is the configured one, or one whose key has no other use', () => {
    const backendOf = (values: Parameters<typeof readSpeechService>[0], variables = {}) =>
      readSpeechService(values, variables)?.backend;
    expect(backendOf({}, { OPENAI_API_KEY: 'o', GEMINI_API_KEY: 'g' })).toBeUndefined();
    expect(backendOf({}, { VOICE_TOOLS_OPENAI_KEY: 'v' })).toBe('openai');
    expect(backendOf({ provider: 'edge' }, { ELEVENLABS_API_KEY: 'e', VOICE_TOOLS_OPENAI_KEY: 'v' })).toBe(
      'elevenlabs',
    );
    expect(backendOf({ provider: 'gemini' }, { GOOGLE_API_KEY: 'g' })).toBe('gemini');
    expect(backendOf({ provider: 'edge' })).toBeUndefined();
  });

  it('reads voice and model under the names of existing files', () => {
    const variables = { ELEVENLABS_API_KEY: 'e', OPENAI_API_KEY: 'o', DEEPINFRA_API_KEY: 'd' };
    const own = { voice_id: 'v', model_id: 'm' };
    expect(readSpeechService({ elevenlabs: own }, variables)).toEqual({
      backend: 'elevenlabs',
      key: 'e',
      url: undefined,
      model: 'm',
      voice: 'v',
    });
    const local = { model: 'kokoro', voice: 'bella', base_url: 'http://localhost:8880/v1' };
    expect(readSpeechService({ provider: 'openai', openai: local }, variables)).toEqual({
      backend: 'openai',
      key: undefined,
      url: local.base_url,
      model: 'kokoro',
      voice: 'bella',
    });
    expect(readSpeechService({ provider: 'deepinfra', deepinfra: { model: '', voice: 'x' } }, variables)).toMatchObject(
      {
        model: undefined,
        voice: 'x',
      },
    );
  });
});
