import type { Usage } from '../base/index.ts';

/** The image describer: answers questions about images with a model that can read them. */
export interface ImageDescriber {
  /**
   * Returns the model's answer. Throws a `HermesError` if no model could answer, and the signal's reason when
   * aborted.
   */
  describe(asked: ImageQuestion): Promise<string>;
}

export type ImageQuestion = {
  image: Uint8Array;
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`, detected from the bytes. */
  mediaType: string;
  /** The name of the image for the model, without a path. */
  name?: string;
  question: string;
  signal: AbortSignal;
  sessionId: string;
  taskId: string;
};

/** Which images may be read by path or URL. */
export type ImageSources = {
  /** `security.allow_private_urls`: also allows private network addresses. */
  readonly allowPrivate: boolean;
  /** Whether the user has blocked a host. */
  isBlocked?(host: string): boolean;
};

/** Image services, as named in `image_gen.provider`. */
export const IMAGE_BACKENDS = ['fal', 'openai', 'xai', 'openrouter', 'deepinfra'] as const;
export type ImageBackend = (typeof IMAGE_BACKENDS)[number];

/** Speech services, as named in `tts.provider`. */
export const SPEECH_BACKENDS = ['elevenlabs', 'openai', 'minimax', 'gemini', 'xai', 'mistral', 'deepinfra'] as const;
export type SpeechBackend = (typeof SPEECH_BACKENDS)[number];

/** How to reach a media service. */
export type MediaEndpoint = {
  readonly key: string | undefined;
  /** The configured base URL; undefined for the default. */
  readonly url: string | undefined;
  /** Undefined for the service's default model. */
  readonly model: string | undefined;
};

/**
 * The configured image service. Like the speech service below, it is absent if none is selected and no key for one is
 * set.
 */
export type ImageServiceConfig = MediaEndpoint & { readonly backend: ImageBackend };

export type SpeechServiceConfig = MediaEndpoint & {
  readonly backend: SpeechBackend;
  readonly voice: string | undefined;
};

/** Tools that use paid services, by tool name. */
export const PAID_TASKS = ['image_generate', 'text_to_speech'] as const;
export type PaidTask = (typeof PAID_TASKS)[number];

/** A paid call that is about to be made. */
export type PaidCall = {
  purpose: PaidTask;
  provider: string;
  model: string;
  baseUrl: string;
  sessionId: string;
  taskId: string;
};

/** The charged amount as the service reported it; absent fields were not reported. */
export type ChargedAmount = { usd?: number | undefined; usage?: Usage | undefined };

/** The paid-call log: records paid calls like auxiliary calls. */
export interface PaidCallLog {
  /**
   * Throws a `HermesError` if a spending limit is reached. Call the returned function with the charged amount once
   * there is a response.
   */
  begin(call: PaidCall): Promise<(taken: ChargedAmount) => Promise<void>>;
}
