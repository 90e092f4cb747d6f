import { expect, it } from 'vitest';
import { readGatewayValues } from './gateway-settings.ts';
import { readTranscription } from './transcription-settings.ts';

it('uses the named service, a service with a key for speech only, or a command', () => {
  expect(readTranscription({ enabled: false }, { VOICE_TOOLS_OPENAI_KEY: 'k' })).toBeUndefined();
  expect(readTranscription({}, { VOICE_TOOLS_OPENAI_KEY: 'k' })).toMatchObject({
    kind: 'service',
    url: 'https://api.openai.com/v1',
    key: 'k',
    model: 'whisper-1',
  });
  // A key for models is not used for something else unless the user says so.
  expect(readTranscription({}, { OPENAI_API_KEY: 'k' })).toMatchObject({ kind: 'command', command: undefined });
  const groq = { provider: 'groq', groq: { model: 'm', language: 'de' } };
  expect(readTranscription(groq, { GROQ_API_KEY: 'g' })).toMatchObject({ key: 'g', model: 'm', language: 'de' });
  expect(readTranscription(groq, {})).toBeUndefined();
  const local = { HERMES_LOCAL_STT_COMMAND: 'run {input_path}', VOICE_TOOLS_OPENAI_KEY: 'k' };
  expect(readTranscription({ language: 'fr' }, local)).toEqual({
    kind: 'command',
    command: 'run {input_path}',
    model: 'base',
    language: 'fr',
  });
});

it('sends no key to another server than the one it belongs to', () => {
  const own = { provider: 'openai', openai: { base_url: 'http://localhost:9/v1' } };
  const variables = { OPENAI_API_KEY: 'k', VOICE_TOOLS_OPENAI_KEY: 'v' };
  expect(readTranscription(own, variables)).toMatchObject({
    url: 'http://localhost:9/v1',
    isOwnServer: true,
    key: undefined,
  });
  const moved = readTranscription(
    { provider: 'openai' },
    { ...variables, STT_OPENAI_BASE_URL: 'http://localhost:8/v1' },
  );
  expect(moved).toMatchObject({ url: 'http://localhost:8/v1', key: undefined });
});

it('reads the folders whose files may be sent, and whether the user chose a backend', () => {
  expect(readGatewayValues({}, {})).toMatchObject({ mediaFolders: [], isBackendChosen: false });
  expect(readGatewayValues({}, { HERMES_MEDIA_ALLOW_DIRS: '/a:/b', TERMINAL_ENV: 'local' })).toMatchObject({
    mediaFolders: ['/a', '/b'],
    isBackendChosen: true,
  });
  const values = { gateway: { media_delivery_allow_dirs: ['/c'] }, terminal: { backend: 'docker' } };
  expect(readGatewayValues(values, {})).toMatchObject({ mediaFolders: ['/c'], isBackendChosen: true });
});
