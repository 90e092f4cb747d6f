import { ATTACHMENT_LIMITS, errorMessage } from '../../base/index.ts';
import type { ToolContext } from '../../contracts/index.ts';
import { AnswerWithImages, isToolStop, ToolDenied, ToolFailure } from '../../tools/index.ts';
import { type LineRange, shortForm } from '../seen-files.ts';
import { type FileView, viewFile } from './file-view.ts';
import { joinSections, sectionHeading } from './sections.ts';

/** A file is shown in at least this many characters, or not at all. */
const MIN_SHARE = 1000;
const NO_ROOM = '(not shown: the result is full. Read this file in another call.)';
const TOO_MANY_IMAGES =
  '(not attached: the images of one result are limited to 20 MB. Read this file in another call.)';

/** Reads several files into one result. A file that cannot be read does not fail the others. */
export async function readSeveral(
  paths: readonly string[],
  range: LineRange,
  context: ToolContext,
): Promise<string | AnswerWithImages> {
  const views = await Promise.all(paths.map((path) => viewOrFailure(path, range, context)));
  const failures = views.filter((view) => view instanceof Error);
  const sections = presentAll(paths, views, range, context);
  const text = joinSections(sections);
  if (failures.length === views.length) {
    throw failures.some((failure) => failure instanceof ToolDenied) ? new ToolDenied(text) : new ToolFailure(text);
  }
  const images = sections.flatMap((section) => section.images);
  return images.length === 0 ? text : new AnswerWithImages(text, images);
}

async function viewOrFailure(path: string, range: LineRange, context: ToolContext): Promise<FileView | Error> {
  try {
    return await viewFile(path, range, context);
  } catch (thrown) {
    if (context.signal.aborted) throw thrown;
    return isToolStop(thrown) ? thrown : new Error(`could not be read: ${errorMessage(thrown)}`);
  }
}

type Section = { path: string; text: string; images: AnswerWithImages['images'] };

/** Presents all files within the limit of the result. Small files are shown in full before large ones are truncated. */
function presentAll(
  paths: readonly string[],
  views: readonly (FileView | Error)[],
  range: LineRange,
  context: ToolContext,
): Section[] {
  const headings = paths.reduce((sum, path) => sum + sectionHeading(path).length + '\n\n\n'.length, 0);
  const attach = createImageLimit();
  const parts = views.map((view, index) => presentPart(paths[index] as string, view, range, context, attach));
  const room = context.maxResultCharacters - headings;
  const level = levelFor(
    parts.map((part) => part.length),
    room,
  );
  let left = room - parts.length * NO_ROOM.length;
  return parts.map((part, index) => {
    const most = Math.min(level, left + NO_ROOM.length);
    const isShown = part.length <= most || (part.isText && most >= MIN_SHARE);
    const section = isShown ? part.fit(most) : { text: NO_ROOM, images: [] };
    left += NO_ROOM.length - section.text.length;
    return { text: section.text, images: section.images, path: paths[index] as string };
  });
}

/** What a result says of one file, in as many characters as it may have. */
type Part = {
  length: number;
  /** It can be truncated. */
  isText: boolean;
  fit(most: number): Omit<Section, 'path'>;
};

function presentPart(
  path: string,
  view: FileView | Error,
  range: LineRange,
  context: ToolContext,
  attach: (view: AnswerWithImages) => boolean,
): Part {
  const fixed = (text: string, images: Section['images'] = []): Part => ({
    length: text.length,
    isText: false,
    fit: () => ({ text, images }),
  });
  if (view instanceof Error) return fixed(`Error: ${view.message}`);
  if (view instanceof AnswerWithImages) return attach(view) ? fixed(view.text, view.images) : fixed(TOO_MANY_IMAGES);
  const form = (most: number) => {
    const { text, wholeLines } = view.present(most);
    return shortForm(context, { file: view.file, path, range, text, wholeLines, isSection: true });
  };
  const full = form(context.maxResultCharacters);
  return {
    length: full.text.length,
    isText: true,
    fit(most) {
      const shown = full.text.length <= most ? full : form(most);
      shown.record();
      return { text: shown.text, images: [] };
    },
  };
}

/** Accepts images until those of one result are as large as one image may be. */
function createImageLimit(): (view: AnswerWithImages) => boolean {
  let left = ATTACHMENT_LIMITS.bytes;
  return ({ images }) => {
    const size = images.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (size > left) return false;
    left -= size;
    return true;
  };
}

/** The length to truncate texts to so that all fit. */
function levelFor(lengths: readonly number[], room: number): number {
  let left = room;
  const ascending = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of ascending.entries()) {
    const others = ascending.length - index;
    if (length * others > left) return Math.max(Math.floor(left / others), MIN_SHARE);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
