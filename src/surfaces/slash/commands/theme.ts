import { THEMES, updateConfig } from '../../../config/index.ts';
import { printable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

type Theme = (typeof THEMES)[number];

const MEANINGS: Readonly<Record<Theme, string>> = {
  auto: 'dark or light, as the terminal reports its background',
  dark: 'for a dark background',
  light: 'for a light background',
  'high-contrast': 'no faint text, few colours; for any background',
  none: 'no colours; bold, italic and faint text are not used either',
};

/** `/theme` and `/theme NAME`: changes the theme and saves it. */
export async function themeCommand(context: SlashContext, name: string): Promise<void> {
  const { print, runtime, terminal } = context;
  if (terminal?.setTheme === undefined) return print('Themes are not available in plain mode.\n');
  const typed = name === '' ? await pickTheme(context) : name.toLowerCase();
  if (typed === undefined) return;
  const theme = THEMES.find((known) => known === typed);
  if (theme === undefined) return print(`Unknown theme "${printable(name)}". Use one of: ${THEMES.join(', ')}.\n`);
  const { settings } = runtime.blueprint;
  await updateConfig(settings.home, [{ path: ['display', 'theme'], value: theme }]);
  applyTheme(context, theme);
  const unused = settings.variables['NO_COLOR'] ? ' NO_COLOR is set, so no colours are used.' : '';
  print(`Theme: ${theme}, saved.${unused} Text that is already printed keeps its colours.\n`);
}

/** Uses a theme in this chat. */
export function applyTheme({ runtime, terminal }: SlashContext, theme: Theme): void {
  const { settings } = runtime.blueprint;
  const display = { ...settings.display, theme };
  runtime.blueprint = { ...runtime.blueprint, settings: { ...settings, display } };
  terminal?.setTheme?.(theme);
}

function pickTheme({ runtime, terminal }: SlashContext): Promise<string | undefined> | undefined {
  return terminal?.pick?.({
    title: 'Theme',
    items: THEMES.map((theme) => ({ value: theme, label: theme, about: MEANINGS[theme] })),
    current: runtime.blueprint.settings.display.theme,
  });
}
