/** A program that reads the new clipboard content from stdin. */
export type ClipboardCommand = readonly [command: string, ...args: string[]];

/** A program that writes the image in the clipboard to stdout: as it is, in hexadecimal, or in base64. */
export type ClipboardImageCommand = { command: ClipboardCommand; encoding: 'binary' | 'hex' | 'base64' };

const POWERSHELL_IMAGE =
  'Add-Type -A System.Windows.Forms; $i=[Windows.Forms.Clipboard]::GetImage(); if(!$i){exit 1}; $m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray())';

/** The programs that read an image from the clipboard, in the order to try. None over SSH, as below. */
export function clipboardImageCommands(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): ClipboardImageCommand[] {
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return [];
  if (platform === 'darwin')
    return [{ command: ['osascript', '-e', 'get the clipboard as «class PNGf»'], encoding: 'hex' }];
  const powershell = { command: ['powershell.exe', '-NoProfile', '-Sta', '-Command', POWERSHELL_IMAGE] } as const;
  if (platform === 'win32' || env['WSL_DISTRO_NAME']) return [{ ...powershell, encoding: 'base64' }];
  const wayland: ClipboardCommand[] = env['WAYLAND_DISPLAY']
    ? [['wl-paste', '--no-newline', '--type', 'image/png']]
    : [];
  const x: ClipboardCommand[] = env['DISPLAY']
    ? [['xclip', '-selection', 'clipboard', '-target', 'image/png', '-out']]
    : [];
  return [...wayland, ...x].map((command) => ({ command, encoding: 'binary' }));
}

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
