import { createCanvas, type LivePart, type PaintTarget, type Reflow } from './canvas.ts';

/**
 * Draws the live part at the bottom of the terminal's main screen and prints finished output above it. Printed lines
 * belong to the terminal: they are not stored and never redrawn.
 */
export interface Painter {
  /** Schedules a frame, for which `compose` is called again. */
  requestFrame(): void;
  /** Prints lines above the live part. They may be wider than the terminal, which wraps them. */
  print(lines: readonly string[]): void;
  /** The terminal was resized and may have re-wrapped its content. Nothing is drawn until the size is stable. */
  resized(): void;
  /** Erases the live part, so that another program can use the terminal until `resume`. */
  release(): void;
  /** Draws the live part below whatever was written meanwhile. */
  resume(): void;
  /** Draws pending changes immediately, without waiting for the next frame or for a stable window size. */
  flush(): void;
}

type PainterOptions = {
  /**
   * Returns the content of the live part. Called once per frame, however often it changed. If it is taller than the
   * screen, its end is shown.
   */
  compose(): LivePart;
  /** What the terminal shows already, at the cursor. */
  shown?: LivePart | undefined;
  /** The default is all but the cursor line, which never erases a finished line. */
  reflow?: Reflow;
  /** The minimum time between two frames. */
  frameMs?: number;
  /** How long the window must keep its size before anything is drawn. */
  settleMs?: number;
  now?(): number;
};

const FRAME_MS = 33;
const SETTLE_MS = 50;
export function createPainter(target: PaintTarget, options: PainterOptions): Painter {
  const { compose, reflow = 'all but the cursor line', now = () => performance.now() } = options;
  const { frameMs = FRAME_MS, settleMs = SETTLE_MS } = options;
  const canvas = createCanvas(target, reflow, options.shown);
  let finished: string[] = [];
  let [released, changed] = [false, false];
  const frames = createFrameScheduler(paint, frameMs, now);
  const window = createResizeDebouncer(target, settleMs, () => {
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

  /** Runs once, for the final size: the positions of the lines do not depend on the sizes in between. */
  const settle = () => (released ? undefined : canvas.fit());

  function flush(): void {
    if (window.stop()) settle();
    paint();
  }

  return {
    requestFrame: schedule,
    print(lines) {
      // A loop instead of a spread, because a large answer can exceed the maximum number of arguments.
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
 * Debounces resize events. While a window is dragged, its size changes faster than the events arrive, and erasing for
 * an outdated size could erase finished lines.
 */
function createResizeDebouncer(target: PaintTarget, restMs: number, onRest: () => void) {
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
      // A frame for an outdated size would overwrite finished lines, so the size is read even if no signal has
      // arrived.
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

/**
 * Schedules frames: always deferred, so that simultaneous changes share one frame, and never more often than
 * `frameMs`.
 */
function createFrameScheduler(paint: () => void, frameMs: number, now: () => number) {
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
