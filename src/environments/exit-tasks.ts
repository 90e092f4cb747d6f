/** Synchronous tasks that run when Hermes exits. */
export interface ExitTasks {
  add(task: () => void): void;
  /** Adds a task that kills a running command. `killCommands` runs it before the exit. */
  addKill(task: () => void): void;
  remove(task: () => void): void;
  /** Kills all running commands now, without a grace period. */
  killCommands(): void;
}

/** Uses one exit listener for all tasks, and none if there are no tasks. */
export function createExitTasks(): ExitTasks {
  const tasks = new Set<() => void>();
  const kills = new Set<() => void>();
  const runAll = () => {
    // In reverse order, so that a folder is removed after the commands that write to it were killed.
    for (const task of [...tasks].reverse()) task();
  };
  const add = (task: () => void) => {
    if (tasks.size === 0) process.once('exit', runAll);
    tasks.add(task);
  };
  return {
    add,
    addKill(task) {
      add(task);
      kills.add(task);
    },
    killCommands() {
      for (const task of kills) task();
    },
    remove(task) {
      tasks.delete(task);
      kills.delete(task);
      if (tasks.size === 0) process.off('exit', runAll);
    },
  };
}
