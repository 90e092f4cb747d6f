import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HermesError, isJsonObject, parseJson } from '../../../base/index.ts';
import type { TranscriptionSettings } from '../../../config/gateway/index.ts';
import { exitCodeOf } from '../../../environments/child-exit.ts';
import { childEnvironment, killProcessGroup } from '../../../environments/index.ts';
import { safeFetch } from '../../../tools/safe-fetch/index.ts';
import { quoteShellWord, takeStart } from '../../../util/index.ts';

export type Audio = { bytes: Uint8Array; path: string; name: string; mediaType: string };

/** Returns the words of an audio file. Throws a `HermesError` that says why it is not possible. */
export type Transcribe = (audio: Audio, signal: AbortSignal) => Promise<string>;

/** The limit of the services. */
const MAX_BYTES = 25 * 1024 * 1024;
const MAX_RESPONSE = 4 * 1024 * 1024;
const TIMEOUT_MS = 300_000;
const MAX_TRANSCRIPT = 100_000;
const WHISPER = 'whisper {input_path} --model {model} --output_format txt --output_dir {output_dir}';

export function createTranscriber(settings: TranscriptionSettings | undefined): Transcribe {
  return async (audio, signal) => {
    if (settings === undefined) throw new HermesError('Transcription is not configured (`stt.*`).');
    if (audio.bytes.length > MAX_BYTES) throw new HermesError('The recording is larger than 25 MB.');
    const text =
      settings.kind === 'service' ? await callService(settings, audio, signal) : await run(settings, audio, signal);
    if (text.trim() === '') throw new HermesError('The transcription is empty.');
    return takeStart(text.trim(), MAX_TRANSCRIPT);
  };
}

async function callService(
  { name, url, isOwnServer, key, model, language }: Extract<TranscriptionSettings, { kind: 'service' }>,
  audio: Audio,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData();
  // Services recognise the format by the ending of the name.
  form.set('file', new Blob([new Uint8Array(audio.bytes)], { type: audio.mediaType }), audio.name);
  form.set('model', model);
  form.set('response_format', 'json');
  if (language !== undefined) form.set('language', language);
  const encoded = new Response(form);
  const headers: Record<string, string> = { 'content-type': encoded.headers.get('content-type') ?? '' };
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`;
  const { status, body } = await safeFetch(`${url.replace(/\/+$/, '')}/audio/transcriptions`, {
    method: 'POST',
    headers,
    body: new Uint8Array(await encoded.arrayBuffer()),
    ownServer: isOwnServer,
    mayHoldKey: true,
    maxBytes: MAX_RESPONSE,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (status !== 200) throw new HermesError(`${name} returned status ${status}.`);
  const answer = parseJson(new TextDecoder().decode(body));
  const text = isJsonObject(answer) ? answer['text'] : undefined;
  if (typeof text !== 'string') throw new HermesError(`The response of ${name} contains no text.`);
  return text;
}

/** Runs the command, which prints the text or writes it to a `.txt` file in the output folder. */
async function run(
  { command, model, language }: Extract<TranscriptionSettings, { kind: 'command' }>,
  { path }: Audio,
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-transcript-'));
  try {
    const template = command ?? (language === undefined ? WHISPER : `${WHISPER} --language {language}`);
    const values: Record<string, string> = { input_path: path, output_dir: folder, model, language: language ?? 'en' };
    const line = template.replace(/\{(input_path|output_dir|model|language)\}/g, (_, name: string) =>
      quoteShellWord(values[name] ?? ''),
    );
    const printed = await runShell(line, folder, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
    const [file] = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
    return file === undefined ? printed : await readFile(join(folder, file), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runShell(line: string, folder: string, signal: AbortSignal): Promise<string> {
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: folder,
    env: childEnvironment(process.env),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const stop = () => killProcessGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (printed.length < MAX_RESPONSE) printed += chunk;
  });
  const code = await exitCodeOf(child).finally(() => signal.removeEventListener('abort', stop));
  if (code === 0) return printed;
  if (code === 127) throw new HermesError('The command for transcription was not found (`stt.*`).');
  throw new HermesError(
    `The command for transcription ${signal.aborted ? 'timed out' : `failed with exit code ${code}`}.`,
  );
}
