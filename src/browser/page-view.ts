/// <reference lib="dom" />

import type { Page } from 'playwright-core';
import type { ConsoleRequest, ConsoleView, PageImage, PageImageFile, PageView } from '../contracts/index.ts';
import { shorten, takeStart } from '../util/index.ts';
import type { TabCall } from './agent-browser.ts';

const MAX_SNAPSHOT = 2_000_000;
/** Limit of a snapshot line, because data URLs of whole images are useless to a reader. */
const MAX_LINE_LENGTH = 500;
const MAX_TITLE_LENGTH = 300;
const MAX_IMAGES = 200;
const MAX_VALUE_LENGTH = 200_000;
/** Roles of interactive elements in a snapshot. */
const INTERACTIVE_LINE =
  /^\s*- (?:link|button|textbox|searchbox|checkbox|radio|combobox|slider|spinbutton|switch|tab|menuitem\w*|option)\b.*\[ref=((?:f\d+)?e\d+)\].*\[box=(-?\d+),(-?\d+),(\d+),(\d+)\]/;
const LAYER_ID = 'hermes-refs';

/** The snapshot of the current page. */
export async function viewPage({ tab, signal }: TabCall, notes: readonly string[]): Promise<PageView> {
  const page = tab.page();
  const snapshot = await page.ariaSnapshot({ mode: 'ai', signal });
  const title = shorten(await page.title(), MAX_TITLE_LENGTH);
  const lines = takeStart(snapshot, MAX_SNAPSHOT).split('\n').map(shortenLine);
  return { title, url: page.url(), notes: [...notes, ...tab.takeNotes()], snapshot: lines.join('\n') };
}

function shortenLine(line: string): string {
  return line.length <= MAX_LINE_LENGTH ? line : `${takeStart(line, MAX_LINE_LENGTH)}…`;
}

/** A page can override its own objects, so every value is validated. */
type FoundImage = Readonly<Record<keyof PageImage, unknown>>;

export async function listImages({ tab }: TabCall): Promise<PageImage[]> {
  const found: readonly FoundImage[] = await tab.page().evaluate(
    (most) =>
      [...document.images].slice(0, most).map((image) => ({
        url: image.currentSrc || image.src,
        text: image.alt,
        width: image.naturalWidth,
        height: image.naturalHeight,
      })),
    MAX_IMAGES,
  );
  return found
    .map(({ url, text, width, height }) => ({
      url: shortenLine(asText(url)),
      text: shorten(asText(text), MAX_TITLE_LENGTH),
      width: Number(width),
      height: Number(height),
    }))
    .filter(({ url }) => url !== '');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The console messages so far, and the value of an expression. */
export async function readConsole({ expression, clear }: ConsoleRequest, call: TabCall): Promise<ConsoleView> {
  const { log } = call.tab;
  const value = expression === undefined ? {} : { value: await evaluate(expression, call) };
  const view = { messages: log.messages(), dropped: log.dropped(), ...value };
  if (clear) log.clear();
  return view;
}

/** Evaluates an expression in the page and returns the value as text. */
async function evaluate(expression: string, { tab }: TabCall): Promise<string> {
  const value: unknown = await tab.page().evaluate(expression);
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? String(value));
  return takeStart(text, MAX_VALUE_LENGTH);
}

export async function takeScreenshot(annotate: boolean, { tab, signal }: TabCall): Promise<PageImageFile> {
  const page = tab.page();
  const erase = annotate ? await drawRefs(page, signal) : undefined;
  try {
    const image = await page.screenshot({ type: 'png', signal });
    return { image, mediaType: 'image/png', url: page.url(), title: shorten(await page.title(), MAX_TITLE_LENGTH) };
  } finally {
    await erase?.();
  }
}

type Box = { ref: string; x: number; y: number; width: number; height: number };

/** Draws a labelled frame around every interactive element; returns a function that removes the frames. */
async function drawRefs(page: Page, signal: AbortSignal): Promise<() => Promise<void>> {
  const snapshot = await page.ariaSnapshot({ mode: 'ai', boxes: true, signal });
  const boxes = withoutFrames(snapshot.split('\n')).flatMap(readBox);
  await page.evaluate(draw, { boxes, id: LAYER_ID });
  return async () => {
    // The page may have navigated away, and the layer with it.
    await page.evaluate((id) => document.getElementById(id)?.remove(), LAYER_ID).catch(() => undefined);
  };
}

/** Removes elements inside iframes: their coordinates are relative to the iframe, whose position is not known here. */
function withoutFrames(lines: readonly string[]): string[] {
  let frame = Number.POSITIVE_INFINITY;
  return lines.filter((line) => {
    const depth = line.search(/\S/);
    if (depth > frame) return false;
    frame = /^\s*- iframe\b/.test(line) ? depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

function readBox(line: string): Box[] {
  const [, ref = '', ...figures] = INTERACTIVE_LINE.exec(line) ?? [];
  const [x = 0, y = 0, width = 0, height = 0] = figures.map(Number);
  return ref === '' ? [] : [{ ref, x, y, width, height }];
}

/** Runs inside the page. */
function draw({ boxes, id }: { boxes: Box[]; id: string }): void {
  const layer = document.createElement('div');
  layer.id = id;
  layer.style.cssText = 'position:fixed;inset:0;z-index:2147483647;pointer-events:none';
  for (const { ref, x, y, width, height } of boxes) {
    const frame = document.createElement('div');
    frame.style.cssText = `position:absolute;left:${x}px;top:${y}px;width:${width}px;height:${height}px;outline:2px solid #d00`;
    const label = document.createElement('span');
    label.textContent = ref;
    label.style.cssText =
      'background:#d00;color:#fff;font:bold 11px sans-serif;padding:0 2px;position:absolute;left:0;top:0';
    frame.append(label);
    layer.append(frame);
  }
  document.documentElement.append(layer);
}
