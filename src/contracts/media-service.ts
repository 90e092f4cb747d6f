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
