/** What a user message can carry beside its text. */
export const ATTACHMENT_KINDS = ['image', 'document'] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** An image or a PDF file of a user message. The bytes are a blob of the store, named by their hash. */
export type Attachment = {
  kind: AttachmentKind;
  mediaType: string;
  /** What the person calls it; no path. */
  name: string;
  /** SHA-256 in hexadecimal digits. */
  hash: string;
  size: number;
  /** What a model that can read it wrote about it, for those that cannot. */
  description?: string;
};

/** A file on its way into a message. */
export type AttachedFile = Pick<Attachment, 'kind' | 'mediaType' | 'name'> & { bytes: Uint8Array };
