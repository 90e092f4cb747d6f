import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError } from '../report-error.ts';
import { findEditor, runEditor } from '../memory/run-editor.ts';
import { printReport } from './screen-print.ts';
import type { ScreenState } from './screen-state.ts';

/** Has the person write in the editor of their choice, while the screen is left to it; what they save is in the input. */
export async function editOutside(screen: ScreenState): Promise<void> {
  const { io, input, painter, device } = screen;
  try {
    const editor = findEditor(io, 'hermes');
    const folder = await mkdtemp(join(tmpdir(), 'hermes-message-'));
    const file = join(folder, 'message.md');
    await writeFile(file, input.whole(), { mode: 0o600 });
    painter.release();
    device.stop();
    try {
      await runEditor(editor, file, io, new AbortController().signal);
    } finally {
      painter.resume();
      screen.open();
    }
    input.setText((await readFile(file, 'utf8')).trimEnd());
    await rm(folder, { recursive: true, force: true });
  } catch (thrown) {
    printReport(screen, describeError(thrown));
  }
  screen.draw();
}
