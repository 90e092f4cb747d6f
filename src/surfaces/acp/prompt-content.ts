import type { ContentBlock } from '@agentclientprotocol/sdk';
import { fileURLToPath } from 'node:url';
import type { AttachedFile } from '../../base/index.ts';
import { detectFileType, describeUnsupportedType } from '../../util/index.ts';
import { AcpFailure } from './acp-failure.ts';
import { fenced } from './describe-tool-call.ts';

/** The prompt of a client as a message. */
export type PromptContent = {
  /** What the user typed, with links to files as paths. */
  text: string;
  /** The same with the content of embedded files; absent if there are none. */
  sent?: string;
  attachments: AttachedFile[];
};

type Part = { text: string; sent?: string; attachment?: AttachedFile };

/** Reads the content blocks of a prompt. Throws for content that is not supported. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptContent {
  const parts = blocks.map(readBlock);
  const join = (texts: readonly string[]) => joinTexts(blocks, texts).trim();
  const text = join(parts.map((part) => part.text));
  const embedded = parts.flatMap(({ sent }) => (sent === undefined ? [] : [sent]));
  const attachments = parts.flatMap(({ attachment }) => (attachment === undefined ? [] : [attachment]));
  if (text === '' && attachments.length === 0) throw new AcpFailure('invalidParams', 'The prompt is empty.');
  return { text, ...(embedded.length > 0 && { sent: [text, ...embedded].join('\n\n') }), attachments };
}

/** Text next to a link belongs to the same sentence; separate texts are paragraphs. */
function joinTexts(blocks: readonly ContentBlock[], texts: readonly string[]): string {
  let joined = '';
  for (const [index, words] of texts.entries()) {
    const isParagraph = blocks[index]?.type === 'text' && blocks[index - 1]?.type === 'text';
    const isApart = joined === '' || words === '' || /\s$/.test(joined) || /^[\s.,;:!?)]/.test(words);
    joined += isParagraph && joined !== '' ? `\n\n${words}` : isApart ? words : ` ${words}`;
  }
  return joined;
}

function readBlock(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'image':
      return { text: '', attachment: readAttachment(block.data, nameOf(block.uri ?? 'image')) };
    case 'resource_link':
      return { text: pathOf(block.uri) };
    case 'resource':
      return readResource(block.resource);
    default:
      throw new AcpFailure('invalidParams', `Hermes does not accept content of the type "${block.type}".`, {
        hint: 'Send text, images, or files.',
      });
  }
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource'];

/** An embedded file: text is passed on with its path, an image or a PDF file is attached. */
function readResource(resource: Resource): Part {
  const path = pathOf(resource.uri);
  if ('blob' in resource) return { text: path, attachment: readAttachment(resource.blob, nameOf(resource.uri)) };
  return { text: path, sent: `The user attached ${path}:\n${fenced(resource.text)}` };
}

function readAttachment(base64: string, name: string): AttachedFile {
  const bytes = Buffer.from(base64, 'base64');
  const type = detectFileType(bytes);
  if (type !== undefined) return { ...type, name, bytes };
  const found = describeUnsupportedType(bytes) ?? 'neither an image nor a PDF file';
  throw new AcpFailure('invalidParams', `Cannot attach ${name}: it is ${found}.`, {
    hint: 'Supported attachments: PNG, JPEG, GIF and WebP images, and PDF files.',
  });
}

/** The path of a `file:` URI; any other URI as it is. */
export function pathOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  try {
    const { hash, href } = new URL(uri);
    // Editors add the selected lines as a fragment.
    return `${fileURLToPath(href.slice(0, href.length - hash.length))}${decodeURIComponent(hash)}`;
  } catch {
    return uri;
  }
}

function nameOf(uri: string): string {
  return (
    pathOf(uri)
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/[?#].*$/, '') || 'file'
  );
}
