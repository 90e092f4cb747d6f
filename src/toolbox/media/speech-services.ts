import type { JsonValue } from '../../base/index.ts';
import type { SpeechBackend } from '../../contracts/index.ts';
import { parseBody, bearer, firstOf, keyHeader, type ServiceRequest, valueIn } from '../asking/call-service.ts';
import { isBinary } from '../text/encoding.ts';
import { type PaidService, usageFromGemini } from './call-paid-service.ts';
import { type AudioFormat, wavOf } from './generate-speech.ts';

type SpeechRequest = {
  text: string;
  format: AudioFormat;
  model: string;
  voice: string;
  speed: number | undefined;
  key: string | undefined;
};

/** The request and response format of a speech service. */
export type SpeechService = PaidService & {
  /** The default model and voice. */
  model: string;
  voice: string;
  /** Maximum length of the text in characters. */
  maxCharacters: number;
  /** Supported formats; the first is the default. */
  formats: readonly AudioFormat[];
  /** Supported speed range; undefined if the speed is fixed. */
  speeds?: readonly [slowest: number, fastest: number];
  request(order: SpeechRequest): ServiceRequest;
  /** Extracts the audio from the response; undefined if there is none. Not set if the body is the audio. */
  parse?(body: Uint8Array, format: AudioFormat): Uint8Array | undefined;
};

/** Format names of OpenAI, which most services share. */
const OPENAI_NAMES: Readonly<Record<AudioFormat, string>> = {
  mp3: 'mp3',
  wav: 'wav',
  ogg: 'opus',
  flac: 'flac',
  aac: 'aac',
};
const SAMPLE_RATE = 24_000;

export const SPEECH_SERVICES: Readonly<Record<SpeechBackend, SpeechService>> = {
  elevenlabs: {
    name: 'ElevenLabs',
    url: 'https://api.elevenlabs.io',
    maxCharacters: 10_000,
    formats: ['mp3', 'wav', 'ogg'],
    model: 'eleven_multilingual_v2',
    voice: 'pNInz6obpgDQGcFmaJgB',
    speeds: [0.7, 1.2],
    request: ({ text, format, model, voice, speed, key }) => ({
      path: `/v1/text-to-speech/${encodeURIComponent(voice)}?output_format=${
        { wav: `pcm_${SAMPLE_RATE}`, ogg: 'opus_48000_128' }[format as string] ?? 'mp3_44100_128'
      }`,
      headers: keyHeader('xi-api-key', key),
      body: { text, model_id: model, ...(speed !== undefined && { voice_settings: { speed } }) },
    }),
    // Raw samples have no signature, but an error page or message is text.
    parse: (body, format) => (format !== 'wav' ? body : isBinary(body) ? wavOf(body, SAMPLE_RATE) : undefined),
  },
  openai: {
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    maxCharacters: 4096,
    formats: ['mp3', 'wav', 'ogg', 'flac', 'aac'],
    model: 'gpt-4o-mini-tts',
    voice: 'alloy',
    speeds: [0.25, 4],
    request: speechRequest,
  },
  minimax: {
    name: 'MiniMax',
    url: 'https://api.minimax.io',
    maxCharacters: 10_000,
    formats: ['mp3', 'wav', 'flac'],
    model: 'speech-02-hd',
    voice: 'English_expressive_narrator',
    speeds: [0.5, 2],
    request: ({ text, format, model, voice, speed, key }) => ({
      path: '/v1/t2a_v2',
      headers: bearer(key),
      body: {
        model,
        text,
        stream: false,
        output_format: 'hex',
        voice_setting: { voice_id: voice, ...(speed !== undefined && { speed }) },
        audio_setting: { format },
      },
    }),
    parse: (body) => decoded(valueIn(parseBody(body)?.['data'], 'audio'), 'hex'),
  },
  gemini: {
    name: 'Gemini',
    url: 'https://generativelanguage.googleapis.com',
    maxCharacters: 10_000,
    formats: ['wav'],
    model: 'gemini-2.5-flash-preview-tts',
    voice: 'Kore',
    request: ({ text, model, voice, key }) => ({
      path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: keyHeader('x-goog-api-key', key),
      body: {
        contents: [{ parts: [{ text }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
        },
      },
    }),
    parse: geminiSound,
    chargedAmount: usageFromGemini,
  },
  xai: {
    name: 'xAI',
    url: 'https://api.x.ai/v1',
    maxCharacters: 15_000,
    formats: ['mp3', 'wav'],
    model: '',
    voice: 'eve',
    request: ({ text, format, voice, key }) => ({
      path: '/tts',
      headers: bearer(key),
      body: {
        text,
        voice_id: voice,
        language: 'auto',
        output_format: { codec: format, sample_rate: SAMPLE_RATE, ...(format === 'mp3' && { bit_rate: 128_000 }) },
      },
    }),
  },
  mistral: {
    name: 'Mistral',
    url: 'https://api.mistral.ai/v1',
    maxCharacters: 4000,
    formats: ['mp3', 'wav', 'ogg', 'flac'],
    model: 'voxtral-mini-tts-2603',
    voice: 'c69964a6-ab8b-4f8a-9465-ec0925096ec8',
    request: ({ text, format, model, voice, key }) => ({
      path: '/audio/speech',
      headers: bearer(key),
      body: { model, input: text, voice_id: voice, response_format: OPENAI_NAMES[format] },
    }),
    parse: (body) => decoded(parseBody(body)?.['audio_data'], 'base64'),
  },
  deepinfra: {
    name: 'DeepInfra',
    url: 'https://api.deepinfra.com/v1/openai',
    maxCharacters: 4096,
    speeds: [0.25, 4],
    model: 'hexgrad/Kokoro-82M',
    voice: 'af_bella',
    formats: ['mp3', 'wav', 'ogg', 'flac'],
    request: speechRequest,
  },
};

/** The request format of OpenAI, which most self-hosted servers share. */
function speechRequest({ text, format, model, voice, speed, key }: SpeechRequest): ServiceRequest {
  const said = { model, input: text, voice, response_format: OPENAI_NAMES[format] };
  return { path: '/audio/speech', headers: bearer(key), body: { ...said, ...(speed !== undefined && { speed }) } };
}

/** Gemini returns raw samples in base64, with the sample rate in the media type. */
function geminiSound(body: Uint8Array): Uint8Array | undefined {
  const candidate = firstOf(parseBody(body)?.['candidates']);
  const part = firstOf(valueIn(candidate?.['content'], 'parts'));
  const samples = decoded(valueIn(part?.['inlineData'], 'data'), 'base64');
  const type = valueIn(part?.['inlineData'], 'mimeType');
  const rate = typeof type === 'string' ? /rate=(\d{4,6})/.exec(type)?.[1] : undefined;
  return samples && wavOf(samples, Number(rate ?? SAMPLE_RATE));
}

function decoded(text: JsonValue | undefined, encoding: 'hex' | 'base64'): Uint8Array | undefined {
  const bytes = typeof text === 'string' ? Buffer.from(text, encoding) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}
