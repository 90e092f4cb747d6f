import { type MediaKeys, readEndpoint } from '../media-settings.ts';
import type { EnvironmentVariables } from '../paths.ts';
import type { ConfigFile } from '../schema.ts';

/** Services with the transcription API of OpenAI, as named in `stt.provider`. */
export const TRANSCRIPTION_BACKENDS = ['openai', 'groq', 'mistral', 'deepinfra'] as const;
export type TranscriptionBackend = (typeof TRANSCRIPTION_BACKENDS)[number];

/** How voice messages are transcribed: by a service, or by a command on this machine. */
export type TranscriptionSettings = { language: string | undefined } & (
  | { kind: 'service'; name: string; url: string; isOwnServer: boolean; key: string | undefined; model: string }
  | {
      kind: 'command';
      /** A shell command with `{input_path}`, `{output_dir}`, `{model}` and `{language}`; undefined for `whisper`. */
      command: string | undefined;
      model: string;
    }
);

type Service = { name: string; url: string; model: string; keys: MediaKeys };

const SERVICES: Readonly<Record<TranscriptionBackend, Service>> = {
  openai: {
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    model: 'whisper-1',
    keys: { own: ['VOICE_TOOLS_OPENAI_KEY'], shared: ['OPENAI_API_KEY'] },
  },
  groq: {
    name: 'Groq',
    url: 'https://api.groq.com/openai/v1',
    model: 'whisper-large-v3-turbo',
    keys: { own: [], shared: ['GROQ_API_KEY'] },
  },
  mistral: {
    name: 'Mistral',
    url: 'https://api.mistral.ai/v1',
    model: 'voxtral-mini-latest',
    keys: { own: [], shared: ['MISTRAL_API_KEY'] },
  },
  deepinfra: {
    name: 'DeepInfra',
    url: 'https://api.deepinfra.com/v1/openai',
    model: 'openai/whisper-large-v3-turbo',
    keys: { own: [], shared: ['DEEPINFRA_API_KEY'] },
  },
};
const LOCAL_MODEL = 'base';

/** `stt.*`; undefined if it is switched off. Without a provider and a key, the command on this machine is used. */
export function readTranscription(
  values: ConfigFile['stt'] = {},
  variables: EnvironmentVariables,
): TranscriptionSettings | undefined {
  if (values.enabled === false) return undefined;
  const command = variables['HERMES_LOCAL_STT_COMMAND']?.trim() || undefined;
  const named = TRANSCRIPTION_BACKENDS.find((backend) => backend === values.provider);
  const isLocal = values.provider === 'local' || values.provider === 'local_command';
  if (named !== undefined) return readService(named, values, variables);
  const withKey = TRANSCRIPTION_BACKENDS.find((backend) => SERVICES[backend].keys.own.some((name) => variables[name]));
  if (!isLocal && command === undefined && withKey !== undefined) return readService(withKey, values, variables);
  return {
    kind: 'command',
    command,
    model: values.local?.model || LOCAL_MODEL,
    language: values.local?.language || values.language || variables['HERMES_LOCAL_STT_LANGUAGE'] || undefined,
  };
}

function readService(
  backend: TranscriptionBackend,
  values: NonNullable<ConfigFile['stt']>,
  variables: EnvironmentVariables,
): TranscriptionSettings | undefined {
  const { name, url, model, keys } = SERVICES[backend];
  const written = values[backend] ?? {};
  const base = backend === 'openai' ? variables['STT_OPENAI_BASE_URL'] : undefined;
  const reached = readEndpoint(keys, base === undefined ? written : { base_url: base, ...written }, variables);
  return (
    reached && {
      kind: 'service',
      name,
      url: reached.url ?? url,
      isOwnServer: reached.url !== undefined,
      key: reached.key,
      model: reached.model ?? model,
      language: written.language || values.language || undefined,
    }
  );
}
