import { createCanvas, type Live, type PaintTarget, type Reflow } from './canvas.ts';

/**
 * Draws the live part at the bottom of the terminal's main screen, and prints finished output above it. What was printed
 * belongs to the terminal: it is not kept, and nothing that is drawn later touches it.
 */
export interface Painter {
  /** The live part is no longer what `compose` said; it is asked again for the next frame. */
  touch(): void;
  /** Lines that go above the live part, once and for all. They may be wider than the terminal, which wraps them. */
  print(lines: readonly string[]): void;
  /** The terminal has another size, and has perhaps wrapped anew what it shows. Nothing is drawn until it rests. */
  resized(): void;
  /** Takes the live part off the screen, so that something else can write there, until `resume`. */
  release(): void;
  /** Draws the live part anew, below whatever was written meanwhile. */
  resume(): void;
  /** Draws now what waits for its frame, or for a window that is being changed. */
  flush(): void;
}

type PainterOptions = {
  /**
   * What the live part shows; asked once per frame, however often it changes. Of one that is too high for the screen its
   * end is shown.
   */
  compose(): Live;
  /** In doubt it is all but the cursor line, because then no finished line is ever erased. */
  reflow?: Reflow;
  /** The shortest time between two frames. */
  frameMs?: number;
  /** How long a window has to keep its size before anything is drawn into it. */
  settleMs?: number;
  now?(): number;
};

const FRAME_MS = 33;
const SETTLE_MS = 50;
export function createPainter(target: PaintTarget, options: PainterOptions): Painter {
  const { compose, reflow = 'all but the cursor line', now = () => performance.now() } = options;
  const { frameMs = FRAME_MS, settleMs = SETTLE_MS } = options;
  const canvas = createCanvas(target, reflow);
  let finished: string[] = [];
  let [released, changed] = [false, false];
  const frames = createFrameClock(paint, frameMs, now);
  const window = createRestWatch(target, settleMs, () => {
    settle();
    schedule();
  });

  function paint(): void {
    if (released || !changed || window.isMoving()) return;
    changed = false;
    frames.drawn();
    canvas.draw(finished, compose());
    finished = [];
  }

  function schedule(): void {
    changed = true;
    if (!released) frames.ask();
  }

  /** Once, for the size it has in the end: where the lines are does not depend on the sizes in between. */
  const settle = () => (released ? undefined : canvas.fit());

  function flush(): void {
    if (window.stop()) settle();
    paint();
  }

  return {
    touch: schedule,
    print(lines) {
      // One by one: more arguments than the stack has room for are no rare thing in a large answer.
      for (const line of lines) finished.push(line);
      schedule();
    },
    resized: window.moved,
    release() {
      flush();
      canvas.leave();
      released = true;
    },
    resume() {
      released = false;
      canvas.forget();
      schedule();
    },
    flush,
  };
}

/**
 * Whoever drags a window changes it faster than a program hears of it. What would be erased for a size that the terminal
 * no longer has could be finished lines, so all waits until the size rests.
 */
function createRestWatch(target: PaintTarget, restMs: number, onRest: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    const wasMoving = timer !== undefined;
    clearTimeout(timer);
    timer = undefined;
    return wasMoving;
  };
  return {
    stop,
    isMoving() {
      // A frame for a size that is gone would be drawn over finished lines, whether its signal has come or not.
      target.measure?.();
      return timer !== undefined;
    },
    moved() {
      stop();
      timer = setTimeout(() => {
        timer = undefined;
        onRest();
      }, restMs);
    },
  };
}

/** When the next frame is due: never at once, so that all that happens in one go is one frame, and never too often. */
function createFrameClock(paint: () => void, frameMs: number, now: () => number) {
  let last = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  return {
    ask() {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          paint();
        },
        Math.max(0, last + frameMs - now()),
      );
    },
    drawn() {
      clearTimeout(timer);
      timer = undefined;
      last = now();
    },
  };
}
