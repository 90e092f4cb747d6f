import {
  IMAGE_BACKENDS,
  type ImageBackend,
  type ImageServiceConfig,
  type MediaEndpoint,
  SPEECH_BACKENDS,
  type SpeechBackend,
  type SpeechServiceConfig,
} from '../contracts/index.ts';
import type { EnvironmentVariables } from './paths.ts';
import type { ConfigFile } from './schema.ts';

/** Environment variables with an API key: those used for this service only, and those shared with a model provider. */
export type MediaKeys = { own: readonly string[]; shared?: readonly string[] };
type Written = { model?: string; base_url?: string; api_key?: string };

const IMAGE_KEYS: Readonly<Record<ImageBackend, MediaKeys>> = {
  fal: { own: ['FAL_KEY'] },
  openai: { own: [], shared: ['OPENAI_API_KEY'] },
  xai: { own: [], shared: ['XAI_API_KEY'] },
  openrouter: { own: [], shared: ['OPENROUTER_API_KEY'] },
  deepinfra: { own: [], shared: ['DEEPINFRA_API_KEY'] },
};

const SPEECH_KEYS: Readonly<Record<SpeechBackend, MediaKeys>> = {
  elevenlabs: { own: ['ELEVENLABS_API_KEY'] },
  openai: { own: ['VOICE_TOOLS_OPENAI_KEY'], shared: ['OPENAI_API_KEY'] },
  minimax: { own: [], shared: ['MINIMAX_API_KEY'] },
  gemini: { own: [], shared: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] },
  xai: { own: [], shared: ['XAI_API_KEY'] },
  mistral: { own: [], shared: ['MISTRAL_API_KEY'] },
  deepinfra: { own: [], shared: ['DEEPINFRA_API_KEY'] },
};

/** The configured service, or the first one with a key of its own; undefined if none is usable. */
export function readImageService(
  values: ConfigFile['image_gen'] = {},
  variables: EnvironmentVariables,
): ImageServiceConfig | undefined {
  // A base URL without a provider means an OpenAI-compatible server.
  const name = values.provider || (values.base_url && 'openai');
  const named = IMAGE_BACKENDS.find((backend) => backend === name);
  if (named !== undefined) return withBackend(named, readEndpoint(IMAGE_KEYS[named], values, variables));
  const found = IMAGE_BACKENDS.find((backend) => ownKey(IMAGE_KEYS[backend], variables));
  return found && withBackend(found, readEndpoint(IMAGE_KEYS[found], {}, variables));
}

export function readSpeechService(
  values: ConfigFile['tts'] = {},
  variables: EnvironmentVariables,
): SpeechServiceConfig | undefined {
  const backend =
    SPEECH_BACKENDS.find((name) => name === values.provider) ??
    SPEECH_BACKENDS.find((name) => ownKey(SPEECH_KEYS[name], variables));
  if (backend === undefined) return undefined;
  const { model_id, voice, voice_id, ...written } = values[backend] ?? {};
  const model = written.model || model_id;
  const reached = readEndpoint(SPEECH_KEYS[backend], { ...written, ...(model && { model }) }, variables);
  return reached && { backend, ...reached, voice: voice || voice_id || undefined };
}

function withBackend(backend: ImageBackend, reached: MediaEndpoint | undefined): ImageServiceConfig | undefined {
  return reached && { backend, ...reached };
}

function ownKey({ own }: MediaKeys, variables: EnvironmentVariables): string | undefined {
  return own.map((name) => variables[name]).find((value) => value);
}

/**
 * A custom base URL uses only the key configured next to it: the key in a variable belongs to the usual host and must
 * not be sent to another one. A custom server may work without a key; the others require one.
 */
export function readEndpoint(
  keys: MediaKeys,
  written: Written,
  variables: EnvironmentVariables,
): MediaEndpoint | undefined {
  const url = expandVariables(written.base_url, variables);
  if (written.base_url && url === undefined) return undefined;
  const configuredKey = expandVariables(written.api_key, variables);
  const kept = [...keys.own, ...(keys.shared ?? [])].map((name) => variables[name]).find((value) => value);
  const key = configuredKey ?? (url === undefined ? kept : undefined);
  if (key === undefined && url === undefined) return undefined;
  return { key, url, model: written.model || undefined };
}

/** Replaces `${NAME}`. An unset variable makes the whole value undefined, because half a key is useless. */
function expandVariables(value: string | undefined, variables: EnvironmentVariables): string | undefined {
  if (!value) return undefined;
  const parts = value.split(/\$\{(\w+)\}/);
  const filled = parts.map((part, index) => (index % 2 === 0 ? part : variables[part]));
  return filled.some((part) => part === undefined) ? undefined : filled.join('') || undefined;
}
