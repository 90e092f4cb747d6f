import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import type { JsonObject } from '../../base/index.ts';
import { SPEECH_BACKENDS, type SpeechBackend } from '../../contracts/index.ts';
import { createWebServer, type SeenRequest } from '../web/web-server.fixture.ts';
import { createToolFixture, errorOf } from '../tools.fixture.ts';
import { audioType, wantedFormat, wavOf } from './generate-speech.ts';
import { SPEECH_SERVICES } from './speech-services.ts';

const KEY = 'key-of-the-test';
const MP3 = Buffer.from('ID3\x04\0\0\0\0\0\0 sound', 'latin1');
const SAMPLES = Buffer.from([0, 0, 1, 0, 0xff, 0x7f]);
const bodyOf = ({ body }: SeenRequest) => JSON.parse(body) as JsonObject;
const bearer = { authorization: `Bearer ${KEY}` };

/** The response of each service, and the request it expects. */
const SPOKEN: Record<
  SpeechBackend,
  { path: string; answer: Buffer | string; wants: JsonObject; sent: Record<string, string>; saved: Uint8Array }
> = {
  elevenlabs: {
    path: '/v1/text-to-speech/pNInz6obpgDQGcFmaJgB?output_format=mp3_44100_128',
    answer: MP3,
    wants: { text: 'Hello', model_id: 'eleven_multilingual_v2', voice_settings: { speed: 1.2 } },
    sent: { 'xi-api-key': KEY },
    saved: MP3,
  },
  openai: {
    path: '/audio/speech',
    answer: MP3,
    wants: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy', response_format: 'mp3', speed: 1.5 },
    sent: bearer,
    saved: MP3,
  },
  minimax: {
    path: '/v1/t2a_v2',
    answer: JSON.stringify({ data: { audio: MP3.toString('hex'), status: 2 }, base_resp: { status_code: 0 } }),
    wants: {
      model: 'speech-02-hd',
      text: 'Hello',
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: 'English_expressive_narrator', speed: 1.5 },
      audio_setting: { format: 'mp3' },
    },
    sent: bearer,
    saved: MP3,
  },
  gemini: {
    path: '/v1beta/models/gemini-2.5-flash-preview-tts:generateContent',
    answer: JSON.stringify({
      candidates: [
        {
          content: {
            parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: SAMPLES.toString('base64') } }],
          },
        },
      ],
    }),
    wants: {
      contents: [{ parts: [{ text: 'Hello' }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
      },
    },
    sent: { 'x-goog-api-key': KEY },
    saved: wavOf(SAMPLES, 24_000),
  },
  xai: {
    path: '/tts',
    answer: MP3,
    wants: {
      text: 'Hello',
      voice_id: 'eve',
      language: 'auto',
      output_format: { codec: 'mp3', sample_rate: 24_000, bit_rate: 128_000 },
    },
    sent: bearer,
    saved: MP3,
  },
  mistral: {
    path: '/audio/speech',
    answer: JSON.stringify({ audio_data: MP3.toString('base64') }),
    wants: {
      model: 'voxtral-mini-tts-2603',
      input: 'Hello',
      response_format: 'mp3',
      voice_id: 'c69964a6-ab8b-4f8a-9465-ec0925096ec8',
    },
    sent: bearer,
    saved: MP3,
  },
  deepinfra: {
    path: '/audio/speech',
    answer: MP3,
    wants: { model: 'hexgrad/Kokoro-82M', input: 'Hello', voice: 'af_bella', response_format: 'mp3', speed: 1.5 },
    sent: bearer,
    saved: MP3,
  },
};

function studio(backend: SpeechBackend, url: string | undefined, more: { model?: string; voice?: string } = {}) {
  const speechMaker = { backend, key: KEY, url, model: more.model, voice: more.voice };
  return createToolFixture({ set: { services: { speechService: speechMaker } } });
}

describe('text_to_speech', () => {
  for (const backend of SPEECH_BACKENDS) {
    verifies('TOOL-5', `sends the text to ${backend} in its own format and saves the audio`, async () => {
      const { path, answer, wants, sent, saved } = SPOKEN[backend];
      await using server = await createWebServer((_seen, response) => response.end(answer));
      await using fixture = await studio(backend, `${server.url}/`);
      const { status, content } = await fixture.run('text_to_speech', { text: 'Hello', speed: 1.5 });
      expect(status).toBe('ok');
      const file = /^Saved (\S+\/speech-[0-9a-f]{8}\.(?:mp3|wav)): (?:MP3|WAV) audio/.exec(content)?.[1] ?? '';
      expect((await readFile(file)).equals(saved)).toBe(true);
      const [asked] = server.requests as [SeenRequest];
      expect(asked.url.pathname + asked.url.search).toBe(path);
      expect(asked.headers).toMatchObject(sent);
      expect(bodyOf(asked)).toEqual(wants);
      const { speeds } = SPEECH_SERVICES[backend];
      expect(content.includes('does not support the requested')).toBe(speeds === undefined || speeds[1] < 1.5);
    });
  }

  it('uses the format of the file name and the configured voice', async () => {
    await using server = await createWebServer((_seen, response) => response.end('OggS and so on'));
    await using fixture = await studio('openai', server.url, { model: 'kokoro', voice: 'bella' });
    const { content } = await fixture.run('text_to_speech', { text: 'Hi', output_path: 'out/hi.opus' });
    expect(content).toBe(`Saved ${join(fixture.folder, 'out/hi.opus')}: OGG audio, 14 bytes.`);
    expect(bodyOf(server.requests[0] as SeenRequest)).toMatchObject({
      model: 'kokoro',
      voice: 'bella',
      response_format: 'opus',
    });
    const other = await fixture.run('text_to_speech', { text: 'Hi', output_path: 'hi.mp3' });
    expect(other.content).toContain('The requested format was MP3, but OpenAI returned OGG.');
    expect(errorOf(await fixture.run('text_to_speech', { text: 'Hi', output_path: 'hi.mp4' }))).toContain('.mp3, .wav');
    expect(server.requests).toHaveLength(2);
  });

  it('rejects text that is too long, empty or contains a key, before anything is sent', async () => {
    await using server = await createWebServer((_seen, response) => response.end(MP3));
    await using fixture = await studio('openai', server.url);
    const say = async (text: string) => errorOf(await fixture.run('text_to_speech', { text }));
    expect(await say('a'.repeat(1024 * 1024))).toContain('accepts at most 4096 per call');
    expect(await say('  \n')).toContain('text is empty');
    expect(await say(`it is sk-ant-api03-${'a1B2'.repeat(20)}`)).toContain('key or token');
    expect((await fixture.run('text_to_speech', { text: 'x', speed: 9 })).status).toBe('invalid');
    expect(server.requests).toEqual([]);
  });

  it('reports failures without echoing the request, and saves nothing', async () => {
    let answer: [number, string | Buffer] = [401, `bad ${KEY}`];
    await using server = await createWebServer((_seen, response) => response.writeHead(answer[0]).end(answer[1]));
    await using fixture = await studio('elevenlabs', server.url);
    const ask = async (status: number, body: string | Buffer, args = {}) => {
      answer = [status, body];
      return errorOf(await fixture.run('text_to_speech', { text: `${status} ${body.length}`, ...args }));
    };
    expect(await ask(401, `bad ${KEY}`)).toMatch(/^ElevenLabs returned status 401\. The API key [^:]*$/);
    expect(await ask(404, '')).toContain('model is unknown');
    expect(await ask(429, '')).toContain('rate limit or quota is exceeded');
    expect(await ask(503, '')).toContain('Try again later');
    expect(await ask(200, '<html>hello</html>')).toContain('is not audio');
    expect(await ask(200, '<html>hello</html>', { output_path: 'a.wav' })).toContain('contains no audio');
    expect(await ask(200, '')).toContain('contains no audio');
    expect(await ask(200, Buffer.alloc(50_000_000, 'a'))).toContain('exceeds 40 MB');
    expect(await readdir(fixture.folder)).toEqual([]);
  });

  verifies('TOOL-10', 'does not connect to a private address that the user did not configure', async () => {
    await using inside = await createWebServer((_seen, response) => response.end(MP3));
    await using server = await createWebServer((_seen, response) =>
      response.writeHead(308, { location: `${inside.url}/audio/speech` }).end(),
    );
    await using fixture = await studio('openai', server.url);
    await fixture.run('text_to_speech', { text: 'Hello' });
    expect(inside.requests).toEqual([]);
  });

  it('stops with the turn if the service never answers', async () => {
    const turn = new AbortController();
    await using server = await createWebServer(() => turn.abort());
    await using fixture = await studio('xai', server.url);
    expect((await fixture.run('text_to_speech', { text: 'Hello' }, turn.signal)).status).toBe('interrupted');
  });

  it('survives a response of any shape', () => {
    const bytes = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...SPEECH_BACKENDS), bytes, (backend, body) => {
        const { parse = (all: Uint8Array) => all, formats } = SPEECH_SERVICES[backend];
        const wrapped = ['{"data":{"audio":', '{"candidates":[{"content":{"parts":[', '{"audio_data":'].map((open) =>
          Buffer.concat([Buffer.from(open), body, Buffer.from('}')]),
        );
        for (const answer of [body, ...wrapped]) {
          for (const format of formats) expect(parse(answer, format) ?? new Uint8Array()).toBeInstanceOf(Uint8Array);
        }
        expect(audioType(body) ?? 'mp3').toMatch(/^(mp3|wav|ogg|flac|aac)$/);
      }),
    );
  });

  it('detects the audio format from the bytes and from the file name', () => {
    expect(audioType(wavOf(SAMPLES, 8000))).toBe('wav');
    expect(audioType(Buffer.from([0xff, 0xf1, 0x50]))).toBe('aac');
    expect(audioType(Buffer.from([0xff, 0xfb, 0x90]))).toBe('mp3');
    expect(audioType(Buffer.from('fLaC'))).toBe('flac');
    expect(audioType(Buffer.from([0xff, 0xd8, 0xff]))).toBeUndefined();
    expect(['a/b.MP3', 'x', 'x.oga', 'x.exe', undefined].map(wantedFormat)).toEqual([
      'mp3',
      undefined,
      'ogg',
      'unknown',
      undefined,
    ]);
  });

  verifies('TOOL-2', 'is offered only if a service is configured', async () => {
    await using fixture = await createToolFixture();
    expect(await fixture.tools.names()).not.toContain('text_to_speech');
    await using ready = await studio('openai', undefined);
    expect(await ready.tools.names()).toContain('text_to_speech');
  });
});
