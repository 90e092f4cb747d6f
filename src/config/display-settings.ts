import type { ConfigFile } from './schema.ts';

/** How a chat in a terminal looks. */
export type DisplaySettings = {
  /** Plain lines instead of the screen. */
  plain: boolean;
  /** Rings when a long turn ends or a question waits. */
  bell: boolean;
  /** Shows what the model thinks, instead of one line about it. */
  showReasoning: boolean;
};

export const DEFAULT_DISPLAY: DisplaySettings = Object.freeze({ plain: false, bell: true, showReasoning: false });

/** `display.*`, as far as it is about what a terminal shows. */
export function readDisplaySettings(section: ConfigFile['display']): DisplaySettings {
  return {
    plain: section?.plain ?? DEFAULT_DISPLAY.plain,
    bell: section?.bell ?? DEFAULT_DISPLAY.bell,
    showReasoning: section?.show_reasoning ?? DEFAULT_DISPLAY.showReasoning,
  };
}
