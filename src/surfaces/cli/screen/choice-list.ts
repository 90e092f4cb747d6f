import { type ClarifyRequest, type InteractionAnswer, PLAN_ANSWERS } from '../../../base/index.ts';
import { approvalLine } from '../../text/approval-text.ts';
import type { Theme } from '../render/index.ts';
import { panelRows } from '../terminal/approval-text.ts';
import { questionRows } from '../terminal/question.ts';
import { cutMiddle, TYPING_PAUSE_MS } from './approval-panel.ts';
import type { Input } from './input.ts';
import { matchesKey } from './pi-tui.ts';

/** A question of the model: a choice is selected with the arrow keys, or the answer is typed below it. */
export interface ChoiceList {
  /** Returns false for a key that belongs to the input. */
  handleKey(data: string): boolean;
  /** Answers with the selected choice; false if the line is the user's own answer. */
  submit(line: string): boolean;
  /** Esc: rejects a plan. Returns false for any other question, which Esc does not answer. */
  escape(): boolean;
  render(width: number, rows: number): string[];
}

type ListOptions = {
  request: ClarifyRequest;
  input: Input;
  theme(): Theme;
  answer(answer: InteractionAnswer): void;
  /** When the last key was pressed before the question appeared. */
  typedAt: number | undefined;
};

const EDIT = 'Edit the plan';
const KEYS = '↑ ↓ and Enter choose · or type your own answer';
const PLAN_KEYS = '↑ ↓ and Enter choose · or type what to change · Esc rejects the plan';

export function createChoiceList({ request, input, theme, answer, typedAt }: ListOptions): ChoiceList {
  const { choices, plan } = request;
  const shown = plan === undefined ? choices : [...choices, EDIT];
  let selected = 0;
  const isTyped = () => input.text() !== '';
  const give = (text: string) => answer({ kind: 'clarify', text });
  // Enter for a line that was being typed when the question appeared must not choose anything.
  const isInTheWay = () => typedAt !== undefined && Date.now() - typedAt < TYPING_PAUSE_MS;

  function choose(choice: string): void {
    if (choice === EDIT && plan !== undefined) input.setText(`${PLAN_ANSWERS.edited}\n${plan}`);
    else give(choice);
  }

  return {
    handleKey(data) {
      const step = matchesKey(data, 'up') ? -1 : matchesKey(data, 'down') ? 1 : 0;
      if (step === 0 || shown.length === 0 || isTyped()) return false;
      selected = (selected + step + shown.length) % shown.length;
      return true;
    },
    submit(line) {
      const typed = line.trim();
      const chosen = typed === '' ? shown[selected] : /^\d+$/.test(typed) ? shown[Number(typed) - 1] : undefined;
      if (chosen === undefined) return false;
      if (typed !== '' || !isInTheWay()) choose(chosen);
      return true;
    },
    escape() {
      if (plan === undefined) return false;
      if (isTyped()) input.setText('');
      else give(PLAN_ANSWERS.reject);
      return true;
    },
    render(width, rows) {
      const paint = theme();
      const [head = '', ...others] = questionRows(request, width);
      const options = shown.flatMap((choice, index) => {
        const isSelected = index === selected && !isTyped();
        const row = `${isSelected ? '❯' : ' '} ${index + 1}. ${approvalLine(choice)}`;
        return panelRows(row, width).map((line) => (isSelected ? paint.cyan(line) : line));
      });
      const keys =
        shown.length === 0 ? [] : panelRows(`  ${plan === undefined ? KEYS : PLAN_KEYS}`, width).map(paint.dim);
      const room = Math.max(1, rows - options.length - keys.length);
      return [...cutMiddle([paint.bold(head), ...others], room, paint), ...options, ...keys];
    },
  };
}
