import type { SetReport } from '../../../tools/index.ts';
import type { Style } from '../style.ts';

/** One character that says whether something is on. */
export function stateMark(state: SetReport['state'], style: Style): string {
  if (state === 'on') return style.green('✓');
  if (state === 'partly on') return style.yellow('~');
  return state === 'off' ? style.dim('–') : style.red('✗');
}
