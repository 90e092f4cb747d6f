import type { Style } from '../../style.ts';
import type { Key } from './keys.ts';

export type Size = { columns: number; rows: number; style: Style };

/** What fills the screen above the last lines, and what its keys do. */
export interface View {
  render(size: Size): string[];
  /** Which keys there are, for the last lines. */
  help(): string;
  press(key: Key, rows: number): Promise<void> | void;
}
