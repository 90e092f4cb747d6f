import type { Settings } from '../../../config/index.ts';
import type { PickRequest } from '../../slash/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTheme } from '../render/index.ts';
import { chooseColours } from './colours.ts';
import { openDevice } from './device.ts';
import { createPainter } from './painter.ts';
import { createPicker } from './picker.ts';
import { detectReflow } from './reflow.ts';
import { isKeyRelease } from './pi-tui.ts';

/** Shows a list without a chat. The list disappears when it is closed. */
export async function pickAlone(
  request: PickRequest,
  { env }: CliIo,
  { display }: Settings,
): Promise<string | undefined> {
  const device = openDevice();
  const theme = createTheme(chooseColours(env, display.theme));
  const chosen = Promise.withResolvers<string | undefined>();
  const painter = createPainter(device, {
    compose: () => picker.render(device.columns, device.rows - 1, theme),
    reflow: detectReflow(env),
  });
  const picker = createPicker({ request, onChange: painter.requestFrame, onEnd: chosen.resolve });
  const leave = () => picker.cancel();
  process.stdin.once('end', leave);
  device.start(
    (data) => {
      if (!isKeyRelease(data)) picker.handleKey(data);
      painter.requestFrame();
    },
    () => {
      painter.resized();
      painter.requestFrame();
    },
  );
  painter.requestFrame();
  try {
    return await chosen.promise;
  } finally {
    process.stdin.off('end', leave);
    painter.release();
    device.stop();
  }
}
