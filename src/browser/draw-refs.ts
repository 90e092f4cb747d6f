/// <reference lib="dom" />
import type { Page } from 'playwright-core';

type Box = { ref: string; x: number; y: number; width: number; height: number };

/** What a person can use, as a snapshot calls it. */
const USABLE =
  /^\s*- (?:link|button|textbox|searchbox|checkbox|radio|combobox|slider|spinbutton|switch|tab|menuitem\w*|option)\b.*\[ref=((?:f\d+)?e\d+)\].*\[box=(-?\d+),(-?\d+),(\d+),(\d+)\]/;
const LAYER_ID = 'hermes-refs';

/** Draws a frame with its ref around everything that can be used; gives back what takes them away again. */
export async function drawRefs(page: Page, signal: AbortSignal): Promise<() => Promise<void>> {
  const snapshot = await page.ariaSnapshot({ mode: 'ai', boxes: true, signal });
  const boxes = withoutFrames(snapshot.split('\n')).flatMap(readBox);
  await page.evaluate(draw, { boxes, id: LAYER_ID });
  return async () => {
    // The page may have gone elsewhere, and the layer with it.
    await page.evaluate((id) => document.getElementById(id)?.remove(), LAYER_ID).catch(() => undefined);
  };
}

/** What is inside of a frame has its place in that frame, which is not known here. */
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
  const [, ref = '', ...figures] = USABLE.exec(line) ?? [];
  const [x = 0, y = 0, width = 0, height = 0] = figures.map(Number);
  return ref === '' ? [] : [{ ref, x, y, width, height }];
}

/** Runs in the page. */
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
