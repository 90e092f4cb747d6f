import type { PickRequest } from '../../slash/index.ts';
import type { ScreenState } from './screen-state.ts';

/** Opens a list in place of the input line. The code of lists is loaded with the first one. */
export async function pick(screen: ScreenState, request: PickRequest): Promise<string | undefined> {
  const { createPicker } = await import('./picker.ts');
  screen.picker?.cancel();
  return new Promise((resolve) => {
    screen.picker = createPicker({
      request,
      onChange: screen.draw,
      onEnd(chosen) {
        screen.picker = undefined;
        screen.draw();
        resolve(chosen);
      },
    });
    screen.draw();
  });
}
