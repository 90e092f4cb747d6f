/** A file that an answer wants to send. */
export type MediaTag = {
  /** The part of the answer that names it. */
  tag: string;
  path: string;
};

/** An image by URL in the answer: `![text](https://…)`. */
export type ImageLink = { tag: string; url: string };

export type FoundMedia = {
  /** The answer without instructions that are not for people. */
  text: string;
  files: readonly MediaTag[];
  images: readonly ImageLink[];
  /** Whether audio files are sent as voice messages. */
  asVoice: boolean;
};

const VOICE = /[^\S\n]*\[\[audio_as_voice\]\][^\S\n]*\n?/g;
const FENCE = /^ {0,3}(```+|~~~+)/;
/** `MEDIA:PATH`, also in quotes. Alone on its line, the path may contain blanks. */
const ALONE = /^[^\S\n]*[`"']?MEDIA:[^\S\n]*(["'`]?)([^\n]+?)\1[`"']?[^\S\n]*$/;
const INSIDE = /[`"']?\bMEDIA:[^\S\n]*(?:(["'`])([^\n]+?)\1|([^\s"'`]+))[`"']?/g;
const IMAGE = /!\[[^\]\n]{0,500}\]\((https?:\/\/[^\s()<>"']{1,2000})\)/g;

/** Finds the files and images that an answer wants to send. Code blocks are only text. */
export function findMedia(answer: string): FoundMedia {
  const files: MediaTag[] = [];
  const images: ImageLink[] = [];
  let asVoice = false;
  const withoutVoice = mapProse(answer, (prose) => {
    const rest = prose.replace(VOICE, '');
    asVoice ||= rest !== prose;
    return rest;
  });
  mapProse(withoutVoice, (prose) => {
    for (const line of prose.split('\n')) {
      const alone = ALONE.exec(line);
      if (alone !== null) files.push({ tag: line, path: (alone[2] ?? '').trim() });
      else for (const found of line.matchAll(INSIDE)) files.push({ tag: found[0], path: pathOf(found) });
    }
    for (const [tag, url = ''] of prose.matchAll(IMAGE)) images.push({ tag, url });
    return prose;
  });
  return { text: withoutVoice, files, images, asVoice };
}

/** Without quotes, the punctuation of the sentence is not part of the path. */
function pathOf([, , quoted, plain = '']: RegExpExecArray): string {
  return quoted?.trim() ?? plain.replace(/[)\]},;:.!?*]+$/, '');
}

/** Changes everything that is not in a fenced code block. */
function mapProse(text: string, change: (prose: string) => string): string {
  const parts: string[] = [];
  let prose: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    if (prose.length > 0) parts.push(change(prose.join('\n')));
    prose = [];
  };
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark === undefined) prose.push(line);
    else {
      flush();
      parts.push(line);
      if (fence === undefined) fence = mark;
      else if (mark !== undefined && mark.startsWith(fence)) fence = undefined;
    }
  }
  flush();
  return parts.join('\n');
}

/** The answer without the tags of what is sent separately. */
export function removeTags(text: string, tags: readonly string[]): string {
  const rest = tags.reduce((left, tag) => left.replace(tag, () => ''), text);
  return tags.length === 0 ? text : rest.replace(/\n{3,}/g, '\n\n').trim();
}
