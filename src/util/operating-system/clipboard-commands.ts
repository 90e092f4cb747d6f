/** A program that reads the new clipboard content from stdin. */
export type ClipboardCommand = readonly [command: string, ...args: string[]];

/** The clipboard programs to try, in order. None over SSH, because nobody uses the clipboard of the remote machine. */
export function clipboardCommands(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): ClipboardCommand[] {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return [];
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32' || env['WSL_DISTRO_NAME']) return [['clip.exe']];
  const wayland: ClipboardCommand[] = env['WAYLAND_DISPLAY'] ? [['wl-copy']] : [];
  const x: ClipboardCommand[] = env['DISPLAY']
    ? [
        ['xclip', '-selection', 'clipboard'],
        ['xsel', '--clipboard', '--input'],
      ]
    : [];
  return [...wayland, ...x];
}
