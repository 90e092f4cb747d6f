import type { SpeechServiceConfig, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import { refuseCredentials } from '../asking/call-service.ts';
import type { SpeechArguments } from '../text-to-speech.ts';
import { callPaidService } from './call-paid-service.ts';
import { planFile, saveFile } from './save-file.ts';
import { SPEECH_SERVICES, type SpeechService } from './speech-services.ts';

/** Converts text to speech with the configured service and saves the audio file. */
export async function generateSpeech(
  { text, output_path, speed }: SpeechArguments,
  context: ToolContext,
): Promise<string> {
  const maker = context.services.speechService;
  if (maker === undefined) throw new ToolFailure('No speech service is configured.');
  const service = SPEECH_SERVICES[maker.backend];
  refuseText(text, service);
  const format = chooseFormat(output_path, service);
  const plan = await planFile(output_path, { kind: 'speech', extension: format }, context, 'text_to_speech');
  const bytes = await sound({ text, format, speed }, service, maker, context);
  const came = audioType(bytes);
  if (came === undefined) throw new ToolFailure(`The response of ${service.name} is not audio, so nothing was saved.`);
  const path = await saveFile(plan, { bytes, extension: came }, context);
  return [
    `Saved ${path}: ${came.toUpperCase()} audio, ${bytes.length} bytes.`,
    ...notes(service, format, came, speed),
  ].join(' ');
}

function refuseText(text: string, { name, maxCharacters }: SpeechService): void {
  if (text.trim() === '') throw new ToolFailure('The text is empty.');
  if (text.length > maxCharacters) {
    throw new ToolFailure(
      `The text has ${text.length} characters; ${name} accepts at most ${maxCharacters} per call. Split the text.`,
    );
  }
  refuseCredentials(text);
}

function chooseFormat(path: string | undefined, { name, formats }: SpeechService): AudioFormat {
  const wanted = wantedFormat(path);
  if (wanted === undefined) return formats[0] as AudioFormat;
  if (wanted !== 'unknown' && formats.includes(wanted)) return wanted;
  throw new ToolFailure(
    `${name} does not support this file format. Use one of ${formats.map((one) => `.${one}`).join(', ')}.`,
  );
}

async function sound(
  { text, format, speed }: { text: string; format: AudioFormat; speed: number | undefined },
  service: SpeechService,
  maker: SpeechServiceConfig,
  context: ToolContext,
): Promise<Uint8Array> {
  const { model = service.model, voice = service.voice, key } = maker;
  const request = service.request({ text, format, model, voice, key, speed: withinRange(speed, service) });
  const body = await callPaidService({ purpose: 'text_to_speech', service, maker, model, request }, context);
  const bytes = service.parse === undefined ? body : service.parse(body, format);
  if (bytes !== undefined && bytes.length > 0) return bytes;
  throw new ToolFailure(`The response of ${service.name} contains no audio, or its format is unknown.`);
}

function withinRange(speed: number | undefined, { speeds }: SpeechService): number | undefined {
  return speed === undefined || speeds === undefined ? undefined : Math.min(Math.max(speed, speeds[0]), speeds[1]);
}

/** Notes about differences between the request and the result. */
function notes(service: SpeechService, format: AudioFormat, came: AudioFormat, speed: number | undefined): string[] {
  const used = withinRange(speed, service);
  return [
    ...(came === format
      ? []
      : [`The requested format was ${format.toUpperCase()}, but ${service.name} returned ${came.toUpperCase()}.`]),
    ...(speed === used
      ? []
      : [`The speed is ${used ?? 'the default'} because ${service.name} does not support the requested speed.`]),
  ];
}

/** Audio formats, by file name extension. */
const AUDIO_FORMATS = ['mp3', 'wav', 'ogg', 'flac', 'aac'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** The format that a file name asks for: undefined without an extension, `unknown` for an unsupported one. */
export function wantedFormat(path: string | undefined): AudioFormat | 'unknown' | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path ?? '')?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (ending === 'opus' || ending === 'oga') return 'ogg';
  return AUDIO_FORMATS.find((format) => format === ending) ?? 'unknown';
}

/** Detects the audio format from the first bytes; undefined if it is not audio. */
export function audioType(bytes: Uint8Array): AudioFormat | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('RIFF') && head.startsWith('WAVE', 8)) return 'wav';
  if (head.startsWith('OggS')) return 'ogg';
  if (head.startsWith('fLaC')) return 'flac';
  if (head.startsWith('ID3')) return 'mp3';
  const [first = 0, second = 0] = bytes;
  // Every frame begins with an 11-bit sync word; the layer bits after it are zero only in AAC.
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  return (second & 0x06) === 0 ? 'aac' : 'mp3';
}

/** Wraps 16-bit mono PCM samples in a WAV file. */
export function wavOf(samples: Uint8Array, rate: number): Uint8Array {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
