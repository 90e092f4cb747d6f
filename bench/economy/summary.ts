import { MODEL_HEADINGS } from '../../src/context/summary/sections.ts';

const LINES_PER_SECTION = 6;

/** A summary of realistic length, in the requested format; its content does not matter here. */
export function summaryOf(messageCount: number): string {
  return MODEL_HEADINGS.map((heading) => {
    const lines = Array.from(
      { length: LINES_PER_SECTION },
      (_, index) => `- ${heading} ${index + 1}: what was found in part ${index} of ${messageCount}.`,
    );
    return [`## ${heading}`, ...lines].join('\n');
  }).join('\n');
}
