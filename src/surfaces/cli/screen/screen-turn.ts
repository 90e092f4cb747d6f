import type { TurnFacts } from '../terminal/chat-terminal.ts';
import { printEcho } from './screen-print.ts';
import type { ScreenState } from './screen-state.ts';
import { createTurnView, type TurnView } from './turn-view.ts';

/** A turn that took so long is one that people look away from. */
const LONG_TURN_SECONDS = 10;
/** So often the clock and the spinner move on. */
const TICK_MS = 100;

export function beginTurn(screen: ScreenState, facts: TurnFacts): TurnView {
  const view = createTurnView({
    ...{ theme: () => screen.theme, width: () => screen.device.columns, status: screen.status, shown: screen.shown },
    ...{ print: screen.print, onChange: screen.draw, verbosity: facts.verbosity },
    showsReasoning: () => screen.showReasoning || facts.verbosity() === 'full',
    onSteered(text) {
      screen.steered = [];
      printEcho(screen, text);
    },
    onEnd() {
      if (screen.status.seconds() >= LONG_TURN_SECONDS) screen.notify('The turn has ended');
      endTurn(screen);
    },
  });
  screen.turn = view;
  tick(screen);
  // The window is known by the time the first answer has come; nobody waits for it.
  void facts.contextLength().then(screen.status.setWindow, () => undefined);
  return view;
}

function tick(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = setInterval(screen.draw, TICK_MS);
}

/** Something that is no turn, and can be interrupted all the same. */
export function beginWork(screen: ScreenState, activity: string): void {
  screen.status.begin();
  screen.status.set(activity);
  tick(screen);
}

/** However it ended, nothing moves any more. */
export function endTurn(screen: ScreenState): void {
  clearInterval(screen.ticking);
  screen.ticking = undefined;
  screen.turn = undefined;
  screen.steered = [];
  screen.status.end();
  screen.draw();
}
