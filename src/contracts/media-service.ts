import type { Usage } from '../base/index.ts';

/** Answers questions about images: a model that reads them is asked. */
export interface ImageReader {
  /** What the model answered. Throws a `HermesError` where none could be asked, and the signal's reason where it was aborted. */
  describe(asked: ImageQuestion): Promise<string>;
}

export type ImageQuestion = {
  image: Uint8Array;
  /** One of `image/png`, `image/jpeg`, `image/gif`, `image/webp`, by its bytes. */
  mediaType: string;
  /** What the image is called, for the model; no path. */
  name?: string;
  question: string;
  signal: AbortSignal;
  sessionId: string;
  taskId: string;
};

/** Which images may be looked at by path or address. */
export type ImageSources = {
  /** `security.allow_private_urls`: also addresses inside the network. */
  readonly allowPrivate: boolean;
};

/** Who makes images: the names of the configuration, `image_gen.provider`. */
export const IMAGE_BACKENDS = ['fal', 'openai', 'xai', 'openrouter', 'deepinfra'] as const;
export type ImageBackend = (typeof IMAGE_BACKENDS)[number];

/** Who speaks: `tts.provider`. */
export const SPEECH_BACKENDS = ['elevenlabs', 'openai', 'minimax', 'gemini', 'xai', 'mistral', 'deepinfra'] as const;
export type SpeechBackend = (typeof SPEECH_BACKENDS)[number];

/** What one service is reached with. */
export type MediaEndpoint = {
  readonly key: string | undefined;
  /** Where it is, as the person wrote it; undefined for its usual address. */
  readonly url: string | undefined;
  /** Undefined for the one that is usual there. */
  readonly model: string | undefined;
};

/** Absent where none was chosen and no key for one is there; the same holds of the next. */
export type ImageMaker = MediaEndpoint & { readonly backend: ImageBackend };

export type SpeechMaker = MediaEndpoint & { readonly backend: SpeechBackend; readonly voice: string | undefined };

/** What services are paid for, under the names of the tools. */
export const PAID_TASKS = ['image_generate', 'text_to_speech'] as const;
export type PaidTask = (typeof PAID_TASKS)[number];

/** Who is about to be paid for what. */
export type PaidCall = {
  purpose: PaidTask;
  provider: string;
  model: string;
  baseUrl: string;
  sessionId: string;
  taskId: string;
};

/** What a service said that a call took; whatever is absent it did not say. */
export type Taken = { usd?: number | undefined; usage?: Usage | undefined };

/** Keeps account of what services are paid, as of what auxiliary models take. */
export interface MediaAccount {
  /** Throws a `HermesError` where a spending limit is reached. What it gives back is called once there is an answer. */
  begin(call: PaidCall): Promise<(taken: Taken) => Promise<void>>;
}
