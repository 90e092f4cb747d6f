import type { SpeechMaker, ToolContext } from '../../contracts/index.ts';
import { ToolFailure } from '../../tools/index.ts';
import type { SpeechArguments } from '../text-to-speech.ts';
import { refuseKeys } from '../asking/ask-service.ts';
import { askPaid } from './ask-paid.ts';
import { type AudioFormat, audioType, wantedFormat } from './audio.ts';
import { planFile, saveFile } from './save-file.ts';
import { SPEECH_SERVICES, type SpeechService } from './speech-services.ts';

/** Has a text read out by the configured service, and saves the sound. */
export async function speak({ text, output_path, speed }: SpeechArguments, context: ToolContext): Promise<string> {
  const maker = context.services.speechMaker;
  if (maker === undefined) throw new ToolFailure('No service for speech is configured.');
  const service = SPEECH_SERVICES[maker.backend];
  refuseText(text, service);
  const format = chooseFormat(output_path, service);
  const plan = await planFile(output_path, { kind: 'speech', extension: format }, context, 'text_to_speech');
  const bytes = await sound({ text, format, speed }, service, maker, context);
  const came = audioType(bytes);
  if (came === undefined) throw new ToolFailure(`What ${service.name} sent is no sound, so nothing was saved.`);
  const path = await saveFile(plan, { bytes, extension: came }, context);
  return [
    `Saved ${path}: ${came.toUpperCase()} sound, ${bytes.length} bytes.`,
    ...notes(service, format, came, speed),
  ].join(' ');
}

function refuseText(text: string, { name, most }: SpeechService): void {
  if (text.trim() === '') throw new ToolFailure('There is nothing to read out in the text.');
  if (text.length > most) {
    throw new ToolFailure(
      `The text has ${text.length} characters, and ${name} takes ${most} at once. Read it out in parts.`,
    );
  }
  refuseKeys(text);
}

function chooseFormat(path: string | undefined, { name, formats }: SpeechService): AudioFormat {
  const wanted = wantedFormat(path);
  if (wanted === undefined) return formats[0] as AudioFormat;
  if (wanted !== 'unknown' && formats.includes(wanted)) return wanted;
  throw new ToolFailure(
    `${name} cannot make such a file. Choose one of ${formats.map((one) => `.${one}`).join(', ')}.`,
  );
}

async function sound(
  { text, format, speed }: { text: string; format: AudioFormat; speed: number | undefined },
  service: SpeechService,
  maker: SpeechMaker,
  context: ToolContext,
): Promise<Uint8Array> {
  const { model = service.model, voice = service.voice, key } = maker;
  const request = service.request({ text, format, model, voice, key, speed: withinRange(speed, service) });
  const body = await askPaid({ purpose: 'text_to_speech', service, maker, model, request }, context);
  const bytes = service.parse === undefined ? body : service.parse(body, format);
  if (bytes !== undefined && bytes.length > 0) return bytes;
  throw new ToolFailure(`${service.name} answered without sound, or in a form that is not known.`);
}

function withinRange(speed: number | undefined, { speeds }: SpeechService): number | undefined {
  return speed === undefined || speeds === undefined ? undefined : Math.min(Math.max(speed, speeds[0]), speeds[1]);
}

/** What is not as it was asked for. */
function notes(service: SpeechService, format: AudioFormat, came: AudioFormat, speed: number | undefined): string[] {
  const used = withinRange(speed, service);
  return [
    ...(came === format ? [] : [`${service.name} was asked for ${format.toUpperCase()}.`]),
    ...(speed === used ? [] : [`Its speed is ${used ?? 'the usual one'}: ${service.name} knows no other.`]),
  ];
}
